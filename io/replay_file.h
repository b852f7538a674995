// Recorded runs: a scene, and for every frame where its bodies were put and what came of it, bit for bit.
#pragma once

#include <abut/world/scene.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace abut {

/// A frame of a run: what the scene was told, and what its step() found.
struct ReplayFrame {
  std::uint64_t frame = 0;
  double time = 0.0;           ///< Seconds.
  std::vector<BodyId> bodies;  ///< Moved before the step.
  std::vector<Pose> poses;     ///< world_from_body, one for each of `bodies`.
  std::uint64_t candidate_pairs = 0;
  std::vector<Contact> contacts;
  std::vector<BodyPair> began;
  std::vector<BodyPair> ended;
};

/// Writes a run. Layout, little-endian: "ABUTRPLY", version (uint32), size of the head (uint64), the head (names of the
/// bodies, snapshot of the scene), its checksum (uint64); then a record a frame: "FRME", size (uint64), the frame, its
/// checksum; and last a record "DONE" with the number of frames. A record's checksum is also of the checksum before it,
/// so that no record can be left out, repeated or exchanged. What was written before a crash can be read. What the
/// scene is told but where its bodies are (bodies added, removed or changed, filters) has no place in a run.
class ReplayWriter {
 public:
  /// @param file   Created or emptied.
  /// @param names  Of the bodies, in slot order; the scene has used no other slots.
  /// @param scene  As it is before the first frame.
  /// @throws FileError; InvalidInput as save().
  ReplayWriter(std::filesystem::path file, std::span<const std::string> names, const Scene& scene);

  /// @param time  Seconds, finite.
  /// @param bodies, poses  What the scene was given before its last step(), as many of the one as of the other.
  /// @throws FileError; InvalidInput naming "time" or "poses".
  void write(std::uint64_t frame, double time, std::span<const BodyId> bodies, std::span<const Pose> poses,
             const Scene& scene);
  /// Marks the end of a run that is whole. @throws FileError
  void finish();

 private:
  void write_record(const char* mark, std::span<const std::byte> bytes);

  std::filesystem::path file_;
  std::ofstream stream_;
  std::uint64_t frames_ = 0;
  std::uint64_t last_checksum_ = 0;
};

/// Reads a run frame by frame; no more than one frame is held in memory.
class ReplayReader {
 public:
  /// @throws FileError  when the file cannot be opened, is no recorded run, of another version, cut short or altered.
  explicit ReplayReader(std::filesystem::path file);

  /// Of the bodies, in slot order.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// The scene before the first frame. @throws FileError  when it is not sound.
  [[nodiscard]] Scene scene() const;

  /// Reads the next frame. @return Whether there was one.
  /// @throws FileError  naming the frame that is altered or cut short, also where the mark of the end is missing; all
  ///                    whole frames have been read then.
  bool read(ReplayFrame& frame);

 private:
  [[nodiscard]] std::vector<std::byte> read_bytes(std::uint64_t count, const std::string& what);
  [[nodiscard]] std::uint64_t read_number(const std::string& what);

  std::filesystem::path file_;
  std::ifstream stream_;
  std::uintmax_t left_ = 0;  // bytes
  std::vector<std::string> names_;
  std::vector<std::byte> snapshot_;
  std::uint64_t frames_ = 0;
  std::uint64_t last_checksum_ = 0;
};

/// Where what a scene's last step() found differs from a recorded frame, by the bits: the first such field with both
/// values, numbers with 17 digits and in hexadecimal; nothing where all is the same.
/// @param names  Of the bodies, in slot order.
[[nodiscard]] std::optional<std::string> first_difference(const ReplayFrame& recorded, const Scene& scene,
                                                          std::span<const std::string> names);

}  // namespace abut
