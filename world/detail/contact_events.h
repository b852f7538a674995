// Which contacts began and which ended, from two frames' sorted lists.
#pragma once

#include <abut/world/body.h>
#include <abut/world/detail/vector_bytes.h>

#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

class ContactEvents {
 public:
  /// @param pairs        That are contacts in this frame, in slot order.
  /// @param with_sensor  Contact::is_sensor of each.
  void update(std::span<const BodyPair> pairs, std::span<const std::uint8_t> with_sensor);

  /// In slot order, as of the last update().
  [[nodiscard]] std::span<const BodyPair> began() const { return began_; }
  [[nodiscard]] std::span<const BodyPair> ended() const { return ended_; }
  [[nodiscard]] std::span<const BodyPair> persisted() const { return persisted_; }
  /// Contact::is_sensor of each of began() and, when it last was a contact, of each of ended().
  [[nodiscard]] std::span<const std::uint8_t> began_with_sensor() const { return began_with_sensor_; }
  [[nodiscard]] std::span<const std::uint8_t> ended_with_sensor() const { return ended_with_sensor_; }

  /// The events of one step, for a scene that is written and read back.
  struct Events {
    std::vector<BodyPair> began;
    std::vector<BodyPair> ended;
    std::vector<std::uint8_t> began_with_sensor;
    std::vector<std::uint8_t> ended_with_sensor;
  };
  /// @param pairs  That were contacts in that step, as for update().
  void restore(std::span<const BodyPair> pairs, std::span<const std::uint8_t> with_sensor, Events events);
  /// Bytes held.
  [[nodiscard]] std::size_t bytes() const {
    return vector_bytes(pairs_, last_pairs_, with_sensor_, last_with_sensor_, began_, ended_, persisted_,
                        began_with_sensor_, ended_with_sensor_);
  }

 private:
  void take_pairs(std::span<const BodyPair> pairs, std::span<const std::uint8_t> with_sensor);

  std::vector<BodyPair> pairs_;
  std::vector<BodyPair> last_pairs_;
  std::vector<std::uint8_t> with_sensor_;  // one a pair, like the others
  std::vector<std::uint8_t> last_with_sensor_;
  std::vector<BodyPair> began_;
  std::vector<BodyPair> ended_;
  std::vector<BodyPair> persisted_;
  std::vector<std::uint8_t> began_with_sensor_;
  std::vector<std::uint8_t> ended_with_sensor_;
};

}  // namespace abut::detail
