#include "report.h"

#include <algorithm>
#include <numeric>

namespace abut::demo {
namespace {

constexpr double kMillisecondsPerSecond = 1000.0;
constexpr std::size_t kShapePairsShown = 10;
constexpr std::size_t kLineWidth = 100;
constexpr int kTimeDigits = 4;

std::string milliseconds(double seconds) {
  return fixed(kMillisecondsPerSecond * seconds, 3);
}

double total(const FrameTimes& times) {
  return std::accumulate(times.seconds.begin(), times.seconds.end(), 0.0);
}

std::vector<Table::Column> frame_columns(bool with_times) {
  std::vector<Table::Column> columns{{"frame", 6},    {"time s", 8}, {"bodies", 6}, {"candidates", 10},
                                     {"contacts", 8}, {"began", 7},  {"ended", 7}};
  if (!with_times) return columns;
  for (const char* phase : kPhaseNames) columns.push_back({phase, 8});
  columns.push_back({"total ms", 8});
  return columns;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

std::string depth_text(double distance) {
  return significant(std::max(0.0, -distance), 3);
}

}  // namespace

FrameRows::FrameRows(std::ostream& stream, std::size_t every, bool with_times)
    : table_(stream, frame_columns(with_times)), every_(every), with_times_(with_times) {}

void FrameRows::write_header() const {
  table_.write_header();
}

bool FrameRows::add(const Scene& scene, const FrameTimes& times) {
  ++frames_;
  began_ += scene.began().size();
  ended_ += scene.ended().size();
  for (std::size_t i = 0; i < FrameTimes::kPhases; ++i) times_.seconds[i] += times.seconds[i];
  return is_first_ || frames_ == every_;  // the first frame has a row of its own
}

void FrameRows::write_row(const Scene& scene, std::size_t frame, double time) {
  const StepStatistics& statistics = scene.statistics();
  std::vector<std::string> cells{std::to_string(frame),
                                 fixed(time, kTimeDigits),
                                 std::to_string(statistics.bodies),
                                 std::to_string(statistics.candidate_pairs),
                                 std::to_string(statistics.contacts),
                                 std::to_string(began_),
                                 std::to_string(ended_)};
  if (with_times_) {
    const auto frames = static_cast<double>(frames_);
    for (const double seconds : times_.seconds) cells.push_back(milliseconds(seconds / frames));
    cells.push_back(milliseconds(total(times_) / frames));
  }
  table_.write_row(cells);
  is_first_ = false;
  frames_ = began_ = ended_ = 0;
  times_ = {};
}

Summary::Summary(const SceneDescription& description) {
  for (const SceneBody& body : description.bodies) {
    names_.push_back(body.name);
    shape_types_.emplace_back(body.body.shape.type_name());
  }
}

void Summary::add(const Scene& scene, std::size_t frame, const FrameTimes& times) {
  const StepStatistics& statistics = scene.statistics();
  times_.push_back(times);
  candidates_ += statistics.candidate_pairs;
  obb_rejected_ += statistics.obb_rejected;
  solved_pairs_ += statistics.solved_pairs;
  not_converged_ += statistics.not_converged;
  contacts_ += statistics.contacts;
  most_contacts_ = std::max(most_contacts_, statistics.contacts);
  began_ += scene.began().size();
  ended_ += scene.ended().size();
  for (const Contact& contact : scene.contacts()) {
    const std::size_t a = contact.body_a.slot;
    const std::size_t b = contact.body_b.slot;
    ShapePair pair = std::minmax(shape_types_[a], shape_types_[b]);
    const auto [entry, is_new] = shape_pairs_.try_emplace(std::move(pair), PairCount{0, contact.distance});
    ++entry->second.contacts;
    entry->second.smallest_distance = std::min(entry->second.smallest_distance, contact.distance);
    if (!deepest_ || contact.distance < deepest_->distance) {
      deepest_ = Deepest{contact.distance, frame, names_[a], names_[b]};
    }
  }
}

void Summary::write(std::ostream& stream, bool with_times) const {
  stream << "\nFrames in all: " << times_.size() << '\n';
  if (times_.empty()) return;
  const auto frames = static_cast<double>(times_.size());
  const Table totals(stream, {{"", 24, true}, {"total", 10}, {"a frame", 10}});
  totals.write_header();
  const auto write_count = [&](const char* name, std::size_t count) {
    totals.write_row({name, std::to_string(count), fixed(static_cast<double>(count) / frames, 1)});
  };
  write_count("candidate pairs", candidates_);
  write_count("rejected by their OBBs", obb_rejected_);
  write_count("solved pairs", solved_pairs_);
  write_count("not converged", not_converged_);
  write_count("contacts", contacts_);
  write_count("began", began_);
  write_count("ended", ended_);
  stream << "most contacts in a frame: " << most_contacts_ << '\n';
  if (deepest_) {
    stream << "deepest contact: " << deepest_->name_a << " and " << deepest_->name_b << " in frame " << deepest_->frame
           << ", " << depth_text(deepest_->distance) << " m deep\n";
    write_shape_pairs(stream);
  }
  if (with_times) write_times(stream);
}

void Summary::write_shape_pairs(std::ostream& stream) const {
  std::vector<std::pair<ShapePair, PairCount>> pairs(shape_pairs_.begin(), shape_pairs_.end());
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.second.contacts > b.second.contacts; });
  const std::size_t shown = std::min(pairs.size(), kShapePairsShown);
  stream << "\nContacts by shapes, " << shown << " of " << pairs.size() << " pairs\n";
  const Table table(stream, {{"", 17, true}, {"", 17, true}, {"contacts", 9}, {"share", 7}, {"deepest m", 9}});
  table.write_header();
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [pair, count] = pairs[i];
    const double share = 100.0 * static_cast<double>(count.contacts) / static_cast<double>(contacts_);
    table.write_row({pair.first, pair.second, std::to_string(count.contacts), fixed(share, 1) + " %",
                     depth_text(count.smallest_distance)});
  }
}

void Summary::write_times(std::ostream& stream) const {
  stream << "\nMilliseconds a frame\n";
  const Table table(stream, {{"", 10, true}, {"mean", 9}, {"median", 9}, {"max", 9}});
  table.write_header();
  const auto write = [&](const char* name, const std::vector<double>& seconds) {
    const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    table.write_row({name, milliseconds(sum / static_cast<double>(seconds.size())), milliseconds(median(seconds)),
                     milliseconds(*std::max_element(seconds.begin(), seconds.end()))});
    return sum;
  };
  std::vector<double> seconds(times_.size());
  const auto gather = [&](auto value_of) -> const std::vector<double>& {
    std::transform(times_.begin(), times_.end(), seconds.begin(), value_of);
    return seconds;
  };
  for (std::size_t phase = 0; phase < FrameTimes::kPhases; ++phase) {
    write(kPhaseNames[phase], gather([phase](const FrameTimes& times) { return times.seconds[phase]; }));
  }
  const double sum = write("total", gather(total));
  stream << fixed(static_cast<double>(times_.size()) / sum, 1) << " frames a second\n";
}

void write_introduction(std::ostream& stream, const DemoScene& scene) {
  for (const std::string& line : scene.introduction) stream << line << '\n';
  std::map<std::string, std::size_t> count_of;
  std::size_t fixed_bodies = 0;
  for (const SceneBody& body : scene.description.bodies) {
    ++count_of[std::string(body.body.shape.type_name())];
    if (body.body.motion == Motion::fixed) ++fixed_bodies;
  }
  stream << scene.description.bodies.size() - fixed_bodies << " moving and " << fixed_bodies << " fixed bodies";
  if (scene.frame_count) stream << ", " << *scene.frame_count << " frames";
  stream << ", contact margin " << significant(scene.description.settings.contact_margin, 3) << " m\n";
  std::string line = "shapes:";
  bool is_first = true;
  for (const auto& [type, count] : count_of) {
    const std::string item = (is_first ? " " : ", ") + type + ' ' + std::to_string(count);
    if (line.size() + item.size() > kLineWidth) {
      stream << line << ",\n";
      line = "       ";
      line += ' ' + type + ' ' + std::to_string(count);
    } else {
      line += item;
    }
    is_first = false;
  }
  if (!count_of.empty()) stream << line << '\n';
}

}  // namespace abut::demo
