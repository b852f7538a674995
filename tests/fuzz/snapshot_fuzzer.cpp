// A fuzz target: bytes are a snapshot, or edits of a sound one with a checksum that fits. Either they are refused as
// InvalidInput or they are a scene that steps and can be saved and read again.
#include <abut/core/error.h>
#include <fuzz/altered_snapshot.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::size_t kHeaderBytes = 20;
constexpr std::size_t kEditBytes = 3;

abut::fuzz::Bytes edited(std::span<const std::uint8_t> edits) {
  static const abut::fuzz::Bytes sound = abut::fuzz::small_snapshot();
  abut::fuzz::Bytes bytes = sound;
  for (; edits.size() >= kEditBytes; edits = edits.subspan(kEditBytes)) {
    const std::size_t place = kHeaderBytes + (edits[0] + 256u * edits[1]) % (bytes.size() - kHeaderBytes);
    bytes[place] = static_cast<std::byte>(edits[2]);
  }
  return abut::fuzz::signed_again(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> input(data + 1, size - 1);
  abut::fuzz::Bytes bytes;
  if (data[0] % 2 == 0) {
    bytes = edited(input);
  } else {
    const auto raw = std::as_bytes(input);
    bytes.assign(raw.begin(), raw.end());
    if (data[0] % 4 == 1 && bytes.size() > kHeaderBytes) bytes = abut::fuzz::signed_again(bytes);
  }
  try {
    abut::Scene scene = abut::restore(bytes);
    const abut::fuzz::Bytes saved = abut::save(scene);
    abut::Scene again = abut::restore(saved);
    if (abut::save(again) != saved) std::abort();
    scene.step();
    again.step();
    if (abut::save(again) != abut::save(scene)) std::abort();
  } catch (const abut::InvalidInput&) {
    return 0;
  }
  return 0;
}
