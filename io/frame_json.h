// One stepped frame of a scene as a line of JSON.
#pragma once

#include <abut/world/scene.h>

#include <span>
#include <string>
#include <vector>

namespace abut {

/// Writes the frames of one scene, whose bodies were added in the order of their names and are never removed.
class FrameWriter {
 public:
  /// @param names  Of the bodies, in slot order.
  explicit FrameWriter(std::span<const std::string> names);

  /// {"frame": .., "time": .., "bodies": .., "candidate_pairs": .., "contacts": [..], "began": [..], "ended": [..]},
  /// without a line end: the results of the scene's last step().
  /// @param time  Seconds.
  /// @return Valid until the next call.
  [[nodiscard]] const std::string& write(const Scene& scene, std::size_t frame, double time);

 private:
  void append_pair(const BodyPair& pair);
  void append_contact(const Contact& contact);

  std::vector<std::string> quoted_names_;
  std::string line_;
};

}  // namespace abut
