// What the demo prints while it plays and when it is done: rows for frames, then totals, times, and who touched.
#pragma once

#include <abut/world/scene.h>

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "demo_scene.h"
#include "table.h"

namespace abut::demo {

/// Seconds that the parts of a frame took.
struct FrameTimes {
  static constexpr std::size_t kPhases = 5;
  std::array<double, kPhases> seconds{};  ///< In the order of kPhaseNames.
};
/// Moving is the caller's part of a frame, the other four are the step's.
inline constexpr std::array<const char*, FrameTimes::kPhases> kPhaseNames{"moving", "boxes", "broad", "narrow",
                                                                          "events"};

/// A row every so many frames.
class FrameRows {
 public:
  /// @param with_times  False: only what is the same in every run.
  FrameRows(std::ostream& stream, std::size_t every, bool with_times);

  void write_header() const;
  /// Counts a stepped frame. @return Whether its row is due.
  bool add(const Scene& scene, const FrameTimes& times);
  /// Writes the row of the frame that was added last, and starts a new interval.
  void write_row(const Scene& scene, std::size_t frame, double time);
  /// Whether frames were added since the last row.
  [[nodiscard]] bool has_unwritten() const { return frames_ > 0; }

 private:
  Table table_;
  std::size_t every_;
  bool with_times_;
  // Since the last row.
  bool is_first_ = true;
  std::size_t frames_ = 0;
  std::size_t began_ = 0;
  std::size_t ended_ = 0;
  FrameTimes times_;
};

/// Totals over all frames.
class Summary {
 public:
  explicit Summary(const SceneDescription& description);

  void add(const Scene& scene, std::size_t frame, const FrameTimes& times);
  /// @param with_times  False: only what is the same in every run.
  void write(std::ostream& stream, bool with_times) const;

 private:
  struct Deepest {
    double distance = 0.0;  // signed, metres
    std::size_t frame = 0;
    std::string name_a, name_b;
  };
  struct PairCount {
    std::size_t contacts = 0;
    double smallest_distance = 0.0;  // signed, metres
  };
  using ShapePair = std::pair<std::string, std::string>;  // type names, in alphabetical order

  void write_times(std::ostream& stream) const;
  void write_shape_pairs(std::ostream& stream) const;

  std::vector<std::string> names_;        // of bodies, by slot
  std::vector<std::string> shape_types_;  // the same
  std::vector<FrameTimes> times_;         // by frame
  std::size_t candidates_ = 0, contacts_ = 0, most_contacts_ = 0, began_ = 0, ended_ = 0;
  std::size_t obb_rejected_ = 0, solved_pairs_ = 0, not_converged_ = 0;
  std::map<ShapePair, PairCount> shape_pairs_;
  std::optional<Deepest> deepest_;
};

/// The lines above the table: where the bodies come from, how many there are, and of which shapes.
void write_introduction(std::ostream& stream, const DemoScene& scene);

}  // namespace abut::demo
