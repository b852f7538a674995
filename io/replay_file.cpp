#include <abut/core/byte_stream.h>
#include <abut/core/error.h>
#include <abut/io/file_error.h>
#include <abut/io/json.h>
#include <abut/io/read_file.h>
#include <abut/io/replay_file.h>
#include <abut/io/solver_names.h>
#include <abut/world/contact_bytes.h>
#include <abut/world/snapshot.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

namespace abut {
namespace {

constexpr std::string_view kReplayMagic = "ABUTRPLY";
constexpr std::uint32_t kVersion = 3;
constexpr std::size_t kMarkBytes = 4;
constexpr const char* kFrameMark = "FRME";
constexpr const char* kEndMark = "DONE";
constexpr std::size_t kBodyBytes = 2 * sizeof(std::uint32_t);
constexpr std::size_t kPoseBytes = 12 * sizeof(double);

void put(std::ofstream& stream, std::span<const std::byte> bytes) {
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// Of a record and, by its checksum, of all that is before it.
std::uint64_t checksum_after(std::uint64_t last, std::span<const std::byte> record) {
  ByteWriter all;
  all.write(last);
  all.write_bytes(record);
  return checksum(all.bytes());
}

// ---- Frames as bytes

BodyId read_body(ByteReader& in) {
  const auto slot = in.read<std::uint32_t>();
  return {slot, in.read<std::uint32_t>()};
}

std::vector<BodyPair> read_pairs(ByteReader& in, std::string_view field) {
  std::vector<BodyPair> pairs(in.read_count(field, 2 * kBodyBytes));
  for (BodyPair& pair : pairs) {
    pair.a = read_body(in);
    pair.b = read_body(in);
  }
  return pairs;
}

Contact read_contact(ByteReader& in) {
  Contact contact;
  contact.body_a = read_body(in);
  contact.body_b = read_body(in);
  read_after_bodies(in, contact);
  return contact;
}

void read_frame(ByteReader& in, ReplayFrame& frame) {
  frame.frame = in.read<std::uint64_t>();
  frame.time = in.read<double>();
  if (!std::isfinite(frame.time)) throw InvalidInput("time", "must be finite", frame.time);
  const std::size_t moved = in.read_count("poses", kBodyBytes + kPoseBytes);
  frame.bodies.clear();
  frame.poses.clear();
  for (std::size_t i = 0; i < moved; ++i) {
    frame.bodies.push_back(read_body(in));
    const auto translation = in.read_matrix<3>();
    frame.poses.push_back(Pose::from_stored(translation, in.read_matrix<3, 3>()));
  }
  frame.candidate_pairs = in.read<std::uint64_t>();
  const std::size_t contacts = in.read_count("contacts", 2 * kBodyBytes);
  frame.contacts.clear();
  for (std::size_t i = 0; i < contacts; ++i) frame.contacts.push_back(read_contact(in));
  frame.began = read_pairs(in, "began");
  frame.ended = read_pairs(in, "ended");
  if (in.left() != 0) throw InvalidInput("", std::to_string(in.left()) + " bytes are left over");
}

// ---- Differences

std::string shown(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.17g (0x%016llx)", value,
                static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(value)));
  return text.data();
}

std::string shown(std::uint64_t value) {
  return std::to_string(value);
}

std::string shown(bool value) {
  return value ? "true" : "false";
}

std::string shown(SolveStatus status) {
  return std::string(status_name(status));
}

// Compares field by field, and keeps the first that differs.
class Comparison {
 public:
  explicit Comparison(std::span<const std::string> names) : names_(names) {}

  void compare(std::string_view field, double recorded, double found) {
    if (std::bit_cast<std::uint64_t>(recorded) != std::bit_cast<std::uint64_t>(found)) note(field, recorded, found);
  }
  void compare(const std::string& field, const Vector3d& recorded, const Vector3d& found) {
    constexpr std::array kAxes = {".x", ".y", ".z"};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto axis = static_cast<Eigen::Index>(i);
      compare(std::string(field).append(kAxes[i]), recorded[axis], found[axis]);
    }
  }
  template <class Value>
  requires std::is_same_v<Value, bool> || std::is_same_v<Value, std::uint64_t> || std::is_same_v<Value, SolveStatus>
  void compare(std::string_view field, Value recorded, Value found) {
    if (recorded != found) note(field, recorded, found);
  }

  void compare(std::string_view field, std::span<const BodyPair> recorded, std::span<const BodyPair> found) {
    if (std::ranges::equal(recorded, found)) return;
    const auto [next, other] = std::ranges::mismatch(recorded, found);
    const std::size_t place = static_cast<std::size_t>(next - recorded.begin());
    const auto shown_at = [this](std::span<const BodyPair> pairs, std::size_t i) {
      return i < pairs.size() ? pair_name(pairs[i]) : std::string("nothing");
    };
    note_text(std::string(field).append("[").append(std::to_string(place)).append("]"), shown_at(recorded, place),
              shown_at(found, place));
  }

  void compare(const Contact& recorded, const Contact& found) {
    where_ = pair_name({recorded.body_a, recorded.body_b}).append(": ");
    compare("normal", recorded.normal, found.normal);
    compare("distance", recorded.distance, found.distance);
    compare("distance_error", recorded.distance_error, found.distance_error);
    compare("status", recorded.status, found.status);
    compare("is_sensor", recorded.is_sensor, found.is_sensor);
    compare("number of points", std::uint64_t{recorded.point_count}, std::uint64_t{found.point_count});
    for (std::size_t i = 0; i < std::min(recorded.point_count, found.point_count); ++i) {
      const std::string path = json::element("points", i);
      const ContactPoint& point = recorded.point_storage[i];
      const ContactPoint& other = found.point_storage[i];
      compare(path + ".a", point.point_a, other.point_a);
      compare(path + ".b", point.point_b, other.point_b);
      compare(path + ".distance", point.distance, other.distance);
      compare(path + ".feature_id", point.feature_id, other.feature_id);
      compare(path + ".normal", point.normal, other.normal);
      compare(path + ".leaf_a", std::uint64_t{point.leaf_a}, std::uint64_t{other.leaf_a});
      compare(path + ".leaf_b", std::uint64_t{point.leaf_b}, std::uint64_t{other.leaf_b});
    }
    where_.clear();
  }

  [[nodiscard]] const std::optional<std::string>& difference() const { return difference_; }

 private:
  template <class Value>
  void note(std::string_view field, Value recorded, Value found) {
    note_text(field, shown(recorded), shown(found));
  }
  void note_text(std::string_view field, const std::string& recorded, const std::string& found) {
    if (difference_) return;
    std::string text = where_;
    (((text += field) += ": recorded ") += recorded) += ", found ";
    difference_ = text += found;
  }
  [[nodiscard]] std::string body_name(BodyId body) const {
    return body.slot < names_.size() ? json::quoted(names_[body.slot])
                                     : std::string("slot ").append(std::to_string(body.slot));
  }
  [[nodiscard]] std::string pair_name(const BodyPair& pair) const {
    return body_name(pair.a).append(" and ").append(body_name(pair.b));
  }

  std::span<const std::string> names_;
  std::string where_;
  std::optional<std::string> difference_;
};

std::vector<BodyPair> pairs_of(std::span<const Contact> contacts) {
  std::vector<BodyPair> pairs;
  for (const Contact& contact : contacts) pairs.push_back({contact.body_a, contact.body_b});
  return pairs;
}

}  // namespace

ReplayWriter::ReplayWriter(std::filesystem::path file, std::span<const std::string> names, const Scene& scene)
    : file_(std::move(file)) {
  const std::vector<std::byte> snapshot = save(scene);
  ByteWriter head;
  head.write_count(names.size());
  for (const std::string& name : names) head.write_text(name);
  head.write_bytes(snapshot);
  ByteWriter out;
  out.write_bytes(std::as_bytes(std::span(kReplayMagic)));
  out.write(kVersion);
  out.write_count(head.bytes().size());
  out.write_bytes(head.bytes());
  last_checksum_ = checksum(out.bytes());
  out.write(last_checksum_);
  stream_ = create_file(file_);
  put(stream_, out.bytes());
  stream_.flush();
  if (!stream_) throw FileError(file_, "cannot be written");
}

void ReplayWriter::write_record(const char* mark, std::span<const std::byte> bytes) {
  ByteWriter out;
  out.write_bytes(std::as_bytes(std::span(mark, kMarkBytes)));
  out.write_count(bytes.size());
  out.write_bytes(bytes);
  last_checksum_ = checksum_after(last_checksum_, out.bytes());
  out.write(last_checksum_);
  put(stream_, out.bytes());
  stream_.flush();  // a crash must not take what was there
  if (!stream_) throw FileError(file_, "cannot be written");
}

void ReplayWriter::write(std::uint64_t frame, double time, std::span<const BodyId> bodies, std::span<const Pose> poses,
                         const Scene& scene) {
  if (!std::isfinite(time)) throw InvalidInput("time", "must be finite", time);
  if (poses.size() != bodies.size()) {
    throw InvalidInput("poses", "must be one for each of the " + std::to_string(bodies.size()) + " bodies, got " +
                                    std::to_string(poses.size()));
  }
  ByteWriter out;
  out.write(frame);
  out.write(time);
  out.write_count(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    abut::write(out, bodies[i]);
    out.write(poses[i].translation());
    out.write(poses[i].rotation());
  }
  out.write_count(scene.candidate_pairs().size());
  out.write_count(scene.contacts().size());
  for (const Contact& contact : scene.contacts()) abut::write(out, contact);
  abut::write(out, scene.began());
  abut::write(out, scene.ended());
  write_record(kFrameMark, out.bytes());
  ++frames_;
}

void ReplayWriter::finish() {
  ByteWriter out;
  out.write(frames_);
  write_record(kEndMark, out.bytes());
}

ReplayReader::ReplayReader(std::filesystem::path file) : file_(std::move(file)), stream_(open_file(file_)) {
  std::error_code error;
  left_ = std::filesystem::file_size(file_, error);
  if (error) throw FileError(file_, "its size cannot be read: " + error.message());
  if (left_ == 0) throw FileError(file_, "is empty");
  const std::vector<std::byte> magic =
      read_bytes(std::min<std::uintmax_t>(kReplayMagic.size(), left_), "its first bytes");
  if (!std::ranges::equal(magic, std::as_bytes(std::span(kReplayMagic)))) {
    throw FileError(file_, "is no recorded run: it does not begin with " + std::string(kReplayMagic));
  }
  ByteWriter all;
  all.write_bytes(magic);
  const std::vector<std::byte> version_bytes = read_bytes(sizeof(std::uint32_t), "its head");
  all.write_bytes(version_bytes);
  const auto version = ByteReader(version_bytes).read<std::uint32_t>();
  if (version != kVersion) {
    throw FileError(file_, "version: must be " + std::to_string(kVersion) + ", got " + std::to_string(version));
  }
  const std::uint64_t size = read_number("its head");
  all.write(size);
  const std::vector<std::byte> head = read_bytes(size, "its head");
  all.write_bytes(head);
  last_checksum_ = checksum(all.bytes());
  if (read_number("its head") != last_checksum_) throw FileError(file_, "its head has been altered");
  try {
    ByteReader in(head);
    const std::size_t count = in.read_count("names", sizeof(std::uint64_t));
    for (std::size_t i = 0; i < count; ++i) names_.emplace_back(in.read_text("names"));
    const std::span<const std::byte> snapshot = in.read_bytes(in.left());
    snapshot_.assign(snapshot.begin(), snapshot.end());
  } catch (const InvalidInput& invalid) {
    throw FileError(file_, invalid.what());
  }
}

std::vector<std::byte> ReplayReader::read_bytes(std::uint64_t count, const std::string& what) {
  if (count > left_) {
    throw FileError(file_, "is cut short: " + what + " needs " + std::to_string(count) + " bytes more, and " +
                               std::to_string(left_) + " are left");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  stream_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::uint64_t>(stream_.gcount()) != count) throw FileError(file_, "cannot be read");
  left_ -= count;
  return bytes;
}

std::uint64_t ReplayReader::read_number(const std::string& what) {
  const std::vector<std::byte> bytes = read_bytes(sizeof(std::uint64_t), what);
  return ByteReader(bytes).read<std::uint64_t>();
}

Scene ReplayReader::scene() const {
  try {
    Scene scene = restore(snapshot_);
    const std::vector<BodyId> bodies = scene.bodies();
    if (bodies.size() != names_.size() || (!bodies.empty() && bodies.back().slot >= bodies.size())) {
      throw InvalidInput("names", "must be one for each slot of the scene, which has " + std::to_string(bodies.size()) +
                                      " bodies, got " + std::to_string(names_.size()));
    }
    return scene;
  } catch (const InvalidInput& error) {
    throw FileError(file_, error.what());
  }
}

bool ReplayReader::read(ReplayFrame& frame) {
  const std::string what = "frame " + std::to_string(frames_);
  if (left_ == 0) {
    throw FileError(
        file_, "ends after " + std::to_string(frames_) + " frames without the mark of the end: the run was broken off");
  }
  const std::vector<std::byte> mark = read_bytes(kMarkBytes, what);
  const bool is_end = std::ranges::equal(mark, std::as_bytes(std::span(kEndMark, kMarkBytes)));
  if (!is_end && !std::ranges::equal(mark, std::as_bytes(std::span(kFrameMark, kMarkBytes)))) {
    throw FileError(file_, what + " has been altered");
  }
  ByteWriter all;
  all.write_bytes(mark);
  const std::uint64_t size = read_number(what);
  all.write(size);
  const std::vector<std::byte> record = read_bytes(size, what);
  all.write_bytes(record);
  last_checksum_ = checksum_after(last_checksum_, all.bytes());
  if (read_number(what) != last_checksum_) {
    throw FileError(file_, what + " has been altered, or does not follow what is before it");
  }
  try {
    ByteReader in(record);
    if (!is_end) {
      read_frame(in, frame);
      ++frames_;
      return true;
    }
    const auto count = in.read<std::uint64_t>();
    if (count != frames_) {
      throw InvalidInput("", "says that the run has " + std::to_string(count) + " frames, and " +
                                 std::to_string(frames_) + " were read");
    }
    if (left_ != 0) throw InvalidInput("", "is followed by " + std::to_string(left_) + " bytes");
    return false;
  } catch (const InvalidInput& error) {
    throw FileError(file_, (is_end ? std::string("the mark of the end") : what) + ": " + error.what());
  }
}

std::optional<std::string> first_difference(const ReplayFrame& recorded, const Scene& scene,
                                            std::span<const std::string> names) {
  Comparison comparison(names);
  const std::span<const Contact> contacts = scene.contacts();
  // Up to where the lists of pairs part, contact by contact; then where they part.
  for (std::size_t i = 0; i < std::min(recorded.contacts.size(), contacts.size()); ++i) {
    if (recorded.contacts[i].body_a != contacts[i].body_a || recorded.contacts[i].body_b != contacts[i].body_b) break;
    comparison.compare(recorded.contacts[i], contacts[i]);
  }
  comparison.compare("contacts", pairs_of(recorded.contacts), pairs_of(contacts));
  comparison.compare("began", recorded.began, scene.began());
  comparison.compare("ended", recorded.ended, scene.ended());
  comparison.compare("candidate_pairs", recorded.candidate_pairs, std::uint64_t{scene.candidate_pairs().size()});
  return comparison.difference();
}

}  // namespace abut
