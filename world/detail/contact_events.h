// Which contacts began and which ended, from two frames' sorted lists.
#pragma once

#include <abut/world/body.h>
#include <abut/world/contact.h>

#include <span>
#include <vector>

namespace abut::detail {

class ContactEvents {
 public:
  /// @param contacts  Of this frame, in slot order.
  void update(std::span<const Contact> contacts);

  /// In slot order, as of the last update().
  [[nodiscard]] std::span<const BodyPair> began() const { return began_; }
  [[nodiscard]] std::span<const BodyPair> ended() const { return ended_; }

 private:
  std::vector<BodyPair> pairs_;
  std::vector<BodyPair> last_pairs_;
  std::vector<BodyPair> began_;
  std::vector<BodyPair> ended_;
};

}  // namespace abut::detail
