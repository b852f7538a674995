// All or the deepest pairs of leaves, by the walk over pairs of boxes.
#include <abut/core/error.h>
#include <abut/narrowphase/composite/leaf_search.h>
#include <abut/narrowphase/composite_contacts.h>
#include <abut/narrowphase/distance.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

namespace abut {
namespace {

bool is_deeper(const CompositeContact& x, const CompositeContact& y) {
  return std::tie(x.separation.distance, x.item_a, x.item_b) < std::tie(y.separation.distance, y.item_a, y.item_b);
}

/// Where contacts go.
class Sink : public detail::LeafSink {
 public:
  bool take(const detail::FoundLeaf& a, const detail::FoundLeaf& b, const Separation& separation) override {
    return take({a.outer_item, b.outer_item, separation});
  }
  /// @return Whether to go on.
  virtual bool take(const CompositeContact& contact) = 0;
};

class Collector : public Sink {
 public:
  using Sink::take;
  Collector(double limit, std::vector<CompositeContact>& contacts) : limit_(limit), contacts_(contacts) {}
  [[nodiscard]] double limit() const override { return limit_; }
  bool take(const CompositeContact& contact) override {
    contacts_.push_back(contact);
    return true;
  }

 private:
  double limit_;
  std::vector<CompositeContact>& contacts_;
};

class Caller : public Sink {
 public:
  using Sink::take;
  Caller(double limit, const std::function<bool(const CompositeContact&)>& visit) : limit_(limit), visit_(visit) {}
  [[nodiscard]] double limit() const override { return limit_; }
  bool take(const CompositeContact& contact) override { return visit_(contact); }

 private:
  double limit_;
  const std::function<bool(const CompositeContact&)>& visit_;
};

/// A heap of the deepest so far, the least deep of them on top.
class Deepest : public Sink {
 public:
  using Sink::take;
  Deepest(double limit, std::size_t count, std::vector<CompositeContact>& contacts)
      : limit_(limit), count_(count), contacts_(contacts) {}
  [[nodiscard]] double limit() const override {
    if (contacts_.size() < count_) return limit_;
    // What is as deep, to rounding, is looked at too: its items may come before.
    const Separation& last = contacts_.front().separation;
    return std::min(limit_, last.distance + 2.0 * last.distance_error);
  }
  bool take(const CompositeContact& contact) override {
    if (contacts_.size() == count_) {
      if (!is_deeper(contact, contacts_.front())) return true;
      std::pop_heap(contacts_.begin(), contacts_.end(), is_deeper);
      contacts_.pop_back();
    }
    contacts_.push_back(contact);
    std::push_heap(contacts_.begin(), contacts_.end(), is_deeper);
    return true;
  }

 private:
  double limit_;
  std::size_t count_;
  std::vector<CompositeContact>& contacts_;
};

bool search(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
            const DistanceOptions& options, bool overlaps, Sink& sink) {
  if (a.is_composite() || b.is_composite()) {
    return detail::search_leaves(a, b, Pose::relative(world_from_a, world_from_b), world_from_a, options, overlaps,
                                 sink);
  }
  DistanceOptions bounded = options;
  bounded.max_distance = std::max(sink.limit(), 0.0);
  const Separation separation = distance(a, world_from_a, b, world_from_b, bounded);
  if (separation.status == SolveStatus::beyond_limit || separation.distance > sink.limit()) return true;
  return sink.take({0, 0, separation});
}

void check(double max_distance, bool may_be_infinite, const Shape& a, const Shape& b, const DistanceOptions& options) {
  if (std::isnan(max_distance) || (std::isinf(max_distance) && !may_be_infinite)) {
    throw InvalidInput("max_distance", may_be_infinite ? "must not be NaN" : "must be finite", max_distance);
  }
  require_not_negative("tolerance", options.tolerance);
  if (options.max_iterations < 1) throw InvalidInput("max_iterations", "must be >= 1", options.max_iterations);
  if (!serves(options.solver, a, b)) {
    throw InvalidInput("solver", "does not serve " + std::string(a.type_name()) + " and " + std::string(b.type_name()));
  }
}

}  // namespace

void all_contacts(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                  double max_distance, std::vector<CompositeContact>& contacts, const DistanceOptions& options) {
  check(max_distance, /*may_be_infinite=*/false, a, b, options);
  contacts.clear();
  Collector sink(max_distance, contacts);
  // Fifteen axes pay where the limit does not shrink; they are for limits that are not negative.
  search(a, world_from_a, b, world_from_b, options, /*overlaps=*/max_distance >= 0.0, sink);
  // Leaves inside one child of a compound share its index: the deepest of them first.
  std::sort(contacts.begin(), contacts.end(), [](const CompositeContact& x, const CompositeContact& y) {
    return std::tie(x.item_a, x.item_b, x.separation.distance) < std::tie(y.item_a, y.item_b, y.separation.distance);
  });
}

bool visit_contacts(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                    double max_distance, const std::function<bool(const CompositeContact&)>& visit,
                    const DistanceOptions& options) {
  check(max_distance, /*may_be_infinite=*/false, a, b, options);
  Caller sink(max_distance, visit);
  return search(a, world_from_a, b, world_from_b, options, /*overlaps=*/max_distance >= 0.0, sink);
}

void deepest_contacts(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                      std::size_t count, double max_distance, std::vector<CompositeContact>& contacts,
                      const DistanceOptions& options) {
  check(max_distance, /*may_be_infinite=*/true, a, b, options);
  contacts.clear();
  if (count == 0) return;
  Deepest sink(max_distance, count, contacts);
  search(a, world_from_a, b, world_from_b, options, /*overlaps=*/false, sink);
  std::sort_heap(contacts.begin(), contacts.end(), is_deeper);
}

}  // namespace abut
