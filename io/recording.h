// Recorded motion: the poses of a scene's bodies, frame after frame, from JSON Lines or from the binary form ABUTREC1.
#pragma once

#include <abut/io/scene_file.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace abut {

/// The poses that one frame gives; the other bodies stay where they are.
struct RecordedFrame {
  double time = 0.0;                ///< Seconds.
  std::vector<std::size_t> bodies;  ///< Indices into SceneDescription::bodies, each at most once.
  std::vector<Pose> poses;          ///< world_from_body, one for each of `bodies`.
};

/// Reads a recording frame by frame; no more than one frame is held in memory.
///
/// The form is told by the first eight bytes. Binary: magic "ABUTREC1", uint32 body count, uint32 frame count, float64
/// time step, then per frame and body seven float32 (x y z, w x y z), little-endian, for the scene's moving bodies in
/// scene order; frame k is at k × time step. Otherwise JSON Lines: {"time": 0.01, "poses": {"mug 1": {...}}}.
class Recording {
 public:
  /// @param scene  Names and motions of the bodies; copied.
  /// @throws FileError  when the file cannot be opened, is empty, or its header is cut short or does not fit the scene
  ///                    or the file's length. A file that ends before its last frame is accepted here: see read().
  Recording(std::filesystem::path file, const SceneDescription& scene);

  /// Frames that the header announces; nothing for JSON Lines, which have no header.
  [[nodiscard]] std::optional<std::size_t> frame_count() const;

  /// Reads the next frame.
  /// @return Whether there was one.
  /// @throws FileError  naming the frame or line and the body or field that is wrong; for a file that ends too early,
  ///                    after all its whole frames have been read, the expected and the actual number of bytes.
  bool read(RecordedFrame& frame);

 private:
  struct Header {
    std::uint32_t bodies = 0;
    std::uint32_t frames = 0;
    double time_step = 0.0;
  };

  void read_header();
  bool read_binary(RecordedFrame& frame);
  bool next_line(std::string& line);
  bool read_line(RecordedFrame& frame);
  void parse_line(const std::string& line, RecordedFrame& frame) const;

  std::filesystem::path file_;
  std::ifstream stream_;
  std::string start_;  // bytes read to tell the form, not yet handed out as lines: a pipe cannot go back to them
  std::vector<std::string> names_;
  std::vector<std::size_t> moving_;  // indices of the moving bodies
  std::unordered_map<std::string, std::size_t> index_of_;
  std::optional<Header> header_;
  std::uintmax_t file_size_ = 0;
  std::size_t next_ = 0;  // frame or line
  std::vector<char> buffer_;
};

}  // namespace abut
