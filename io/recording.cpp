#include <abut/io/file_error.h>
#include <abut/io/read_file.h>
#include <abut/io/recording.h>
#include <abut/io/shape_json.h>

#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

namespace abut {
namespace {

constexpr std::string_view kMagic = "ABUTREC1";
constexpr std::size_t kHeaderSize = 24;
constexpr std::size_t kFloatsPerPose = 7;
constexpr std::size_t kPoseSize = kFloatsPerPose * sizeof(float);

// A little-endian value, on any machine.
template <class Value>
Value decode(const char* bytes) {
  using Bits = std::conditional_t<sizeof(Value) == 8, std::uint64_t, std::uint32_t>;
  static_assert(sizeof(Value) == sizeof(Bits));
  Bits bits = 0;
  for (std::size_t i = 0; i < sizeof(Bits); ++i) {
    bits |= static_cast<Bits>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return std::bit_cast<Value>(bits);
}

Pose decode_pose(const char* bytes) {
  std::array<double, kFloatsPerPose> v{};
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(decode<float>(bytes + i * sizeof(float)));
  return Pose(Vector3d(v[0], v[1], v[2]), Quaterniond(v[3], v[4], v[5], v[6]));
}

std::string plural(std::uintmax_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

Recording::Recording(std::filesystem::path file, const SceneDescription& scene)
    : file_(std::move(file)), stream_(open_file(file_)) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    names_.push_back(scene.bodies[i].name);
    index_of_.emplace(scene.bodies[i].name, i);
    if (scene.bodies[i].body.motion == Motion::moving) moving_.push_back(i);
  }
  start_.resize(kMagic.size());
  stream_.read(start_.data(), static_cast<std::streamsize>(start_.size()));
  if (stream_.bad()) throw FileError(file_, "cannot be read");
  start_.resize(static_cast<std::size_t>(stream_.gcount()));
  if (start_.empty()) throw FileError(file_, "is empty");
  if (start_ == kMagic) {
    read_header();
  } else if (start_.starts_with(kMagic.substr(0, 4))) {
    throw FileError(file_, "begins with " + json::quoted(start_) + ", must be " + json::quoted(kMagic) +
                               ", as recorded motion in binary form does, or a JSON object");
  } else {
    stream_.clear();  // of the end of a short file, which the next read finds again
  }
}

void Recording::read_header() {
  std::array<char, kHeaderSize - kMagic.size()> bytes{};
  stream_.read(bytes.data(), bytes.size());
  std::error_code error;
  file_size_ = std::filesystem::file_size(file_, error);
  if (error) throw FileError(file_, "its size cannot be read: " + error.message());
  if (!stream_) {
    throw FileError(file_, "is cut short: its header has " + std::to_string(kHeaderSize) + " bytes, the file " +
                               std::to_string(file_size_));
  }
  header_ = Header{decode<std::uint32_t>(bytes.data()), decode<std::uint32_t>(bytes.data() + 4),
                   decode<double>(bytes.data() + 8)};
  if (header_->bodies != moving_.size()) {
    throw FileError(file_, "bodies: holds poses of " + std::to_string(header_->bodies) + ", but the scene has " +
                               std::to_string(moving_.size()) + " moving ones");
  }
  if (!(header_->time_step > 0.0 && std::isfinite(header_->time_step))) {
    throw FileError(file_, InvalidInput("time step", "must be finite and > 0", header_->time_step).what());
  }
  buffer_.resize(moving_.size() * kPoseSize);
  const std::uintmax_t expected = kHeaderSize + std::uintmax_t{header_->frames} * buffer_.size();
  if (file_size_ > expected) {
    throw FileError(file_, "is longer than its header says: expected " + std::to_string(expected) + " bytes for " +
                               plural(header_->frames, "frame") + ", got " + std::to_string(file_size_));
  }
}

std::optional<std::size_t> Recording::frame_count() const {
  if (!header_) return std::nullopt;
  return header_->frames;
}

bool Recording::read(RecordedFrame& frame) {
  frame.bodies.clear();
  frame.poses.clear();
  return header_ ? read_binary(frame) : read_line(frame);
}

bool Recording::read_binary(RecordedFrame& frame) {
  if (next_ == header_->frames) return false;
  stream_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  if (static_cast<std::size_t>(stream_.gcount()) != buffer_.size()) {
    const std::uintmax_t expected = kHeaderSize + std::uintmax_t{header_->frames} * buffer_.size();
    throw FileError(file_, "is cut short: expected " + std::to_string(expected) + " bytes for " +
                               plural(header_->frames, "frame") + ", got " + std::to_string(file_size_) +
                               ", which hold " + std::to_string(next_));
  }
  frame.time = static_cast<double>(next_) * header_->time_step;
  if (!std::isfinite(frame.time)) {
    throw FileError(
        file_,
        "frame " + std::to_string(next_) + ": " +
            InvalidInput("", "its time is not finite: the header's time step is too large", header_->time_step).what());
  }
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    try {
      frame.poses.push_back(decode_pose(buffer_.data() + i * kPoseSize));
    } catch (const InvalidInput& error) {
      throw FileError(file_,
                      "frame " + std::to_string(next_) + ": " + json::quoted(names_[moving_[i]]) + ": " + error.what());
    }
    frame.bodies.push_back(moving_[i]);
  }
  ++next_;
  return true;
}

bool Recording::next_line(std::string& line) {
  if (const std::size_t end = start_.find('\n'); end != std::string::npos) {
    line.assign(start_, 0, end);
    start_.erase(0, end + 1);
    return true;
  }
  line.clear();
  const bool has_more = static_cast<bool>(std::getline(stream_, line));
  if (!has_more && !stream_.eof()) throw FileError(file_, "cannot be read after line " + std::to_string(next_));
  const bool has_line = has_more || !start_.empty();
  line.insert(0, start_);
  start_.clear();
  return has_line;
}

bool Recording::read_line(RecordedFrame& frame) {
  std::string line;
  while (next_line(line)) {
    ++next_;
    if (is_blank(line)) continue;
    try {
      parse_line(line, frame);
    } catch (const InvalidInput& error) {
      throw FileError(file_, "line " + std::to_string(next_) + ": " + error.what());
    }
    return true;
  }
  return false;
}

void Recording::parse_line(const std::string& line, RecordedFrame& frame) const {
  const Json value = json::parse(line, next_);
  json::require_object(value);
  json::refuse_unknown_fields(value, {"time", "poses"});
  frame.time = json::field(value, "time", json::number);
  const Json& poses = json::member(value, "poses");
  json::within("poses", [&] { json::require_object(poses); });
  for (const auto& item : poses.items()) {
    json::within(json::member_path("poses", item.key()), [&] {
      const auto found = index_of_.find(item.key());
      if (found == index_of_.end()) throw InvalidInput("", "is not a body of the scene");
      frame.poses.push_back(read_pose(item.value(), UnknownFields::refused));
      frame.bodies.push_back(found->second);
    });
  }
}

}  // namespace abut
