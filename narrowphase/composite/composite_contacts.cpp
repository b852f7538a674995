// All or the deepest pairs of leaves, by the walk over pairs of boxes.
#include <abut/core/error.h>
#include <abut/narrowphase/composite/leaf_pairs.h>
#include <abut/narrowphase/composite_contacts.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/separate.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

namespace abut {
namespace {

using detail::Leaf;
using detail::PairWalk;
using detail::Part;
using detail::TriangleCorners;
using detail::WalkRef;

bool is_deeper(const CompositeContact& x, const CompositeContact& y) {
  return std::tie(x.separation.distance, x.item_a, x.item_b) < std::tie(y.separation.distance, y.item_a, y.item_b);
}

/// Where contacts go. `limit` may shrink while they come.
class Sink {
 public:
  virtual ~Sink() = default;
  [[nodiscard]] virtual double limit() const = 0;
  /// @return Whether to go on.
  virtual bool take(const CompositeContact& contact) = 0;
};

class Collector : public Sink {
 public:
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
  Deepest(double limit, std::size_t count, std::vector<CompositeContact>& contacts)
      : limit_(limit), count_(count), contacts_(contacts) {}
  [[nodiscard]] double limit() const override {
    return contacts_.size() < count_ ? limit_ : std::min(limit_, contacts_.front().separation.distance);
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

/// The walk's visitor. Inside a composite leaf a search of its own goes on, with the outer leaf's item.
class ContactSearch {
 public:
  struct Frame {
    Pose world_from_a;
    std::uint32_t item_a = 0;
    std::uint32_t item_b = 0;
    bool has_item_a = false;
    bool has_item_b = false;
  };

  ContactSearch(const Part& a, const Part& b, const Pose& a_from_b, const DistanceOptions& options, const Frame& frame,
                Sink& sink)
      : walk_(a, b, a_from_b),
        options_(options),
        frame_(frame),
        sink_(sink),
        rounding_(detail::transform_rounding(walk_)) {}

  /// @return Whether all was visited.
  template <bool kOverlaps>
  bool run(WalkRef start_a = {}, WalkRef start_b = {}) {
    walk_.run<kOverlaps>(*this, start_a, start_b);
    return !is_done_;
  }

  [[nodiscard]] double limit() const { return sink_.limit(); }
  [[nodiscard]] bool is_done() const { return is_done_; }

  bool opens(PairWalk::Entry& entry) {
    return detail::solve_nested(walk_, entry, [&](bool is_a, const Leaf& leaf) {
      return is_a ? nested_a(leaf, walk_.side_b().part(), walk_.a_from_b(), 0, false, entry.b)
                  : nested_b(walk_.side_a().part(), Pose(), 0, false, leaf, entry.a);
    });
  }

  bool visit(const PairWalk::Entry& entry) {
    detail::for_each_leaf(walk_.side_a(), entry.a, entry.a_composites_done, [&](const Leaf& a) {
      return detail::for_each_leaf(walk_.side_b(), entry.b, entry.b_composites_done, [&](const Leaf& b) {
        if (a.part.is_composite()) {
          return nested_a(a, b.part, walk_.a_from_b() * b.body_from_leaf, b.item, walk_.side_b().tree() != nullptr, {});
        }
        if (b.part.is_composite()) {
          return nested_b(a.part, a.body_from_leaf, a.item, walk_.side_a().tree() != nullptr, b, {});
        }
        return solve(a, b);
      });
    });
    return is_done_;
  }

  /// Of two parts that are no composites.
  bool solve(const Leaf& a, const Leaf& b) {
    const double limit = sink_.limit();
    const Pose a_from_leaf_b = walk_.a_from_b() * b.body_from_leaf;
    if (a.part.kind() == detail::kPartKind<Triangle> && b.part.kind() == detail::kPartKind<Triangle>) {
      const TriangleCorners corners_a = detail::carried(a.body_from_leaf, a.part.as<Triangle>().points());
      const TriangleCorners corners_b = detail::carried(a_from_leaf_b, b.part.as<Triangle>().points());
      if (detail::triangle_gap(corners_a, corners_b, limit + rounding_) > limit + rounding_) return false;
    }
    detail::PairQuery query{options_, /*is_boolean=*/false};
    query.options.max_distance = std::max(limit, 0.0);
    CompositeContact contact;
    contact.separation = detail::separate(a.part, b.part, a.body_from_leaf.inverse() * a_from_leaf_b, query, nullptr);
    if (contact.separation.status == SolveStatus::beyond_limit || contact.separation.distance > limit) return false;
    detail::transform(contact.separation, frame_.world_from_a * a.body_from_leaf);
    contact.item_a = frame_.has_item_a ? frame_.item_a : a.item;
    contact.item_b = frame_.has_item_b ? frame_.item_b : b.item;
    is_done_ = !sink_.take(contact);
    return is_done_;
  }

 private:
  bool nested_a(const Leaf& leaf, const Part& b, const Pose& a_from_b, std::uint32_t item_b, bool is_leaf_b,
                WalkRef start_b) {
    Frame frame = frame_;
    frame.world_from_a = frame_.world_from_a * leaf.body_from_leaf;
    if (!frame.has_item_a) frame.item_a = leaf.item;
    frame.has_item_a = true;
    if (is_leaf_b && !frame.has_item_b) {
      frame.item_b = item_b;
      frame.has_item_b = true;
    }
    ContactSearch inner(leaf.part, b, leaf.body_from_leaf.inverse() * a_from_b, options_, frame, sink_);
    is_done_ = !inner.run<false>({}, start_b);
    return is_done_;
  }

  bool nested_b(const Part& a, const Pose& body_from_a, std::uint32_t item_a, bool is_leaf_a, const Leaf& leaf,
                WalkRef start_a) {
    Frame frame = frame_;
    frame.world_from_a = frame_.world_from_a * body_from_a;
    if (is_leaf_a && !frame.has_item_a) {
      frame.item_a = item_a;
      frame.has_item_a = true;
    }
    if (!frame.has_item_b) frame.item_b = leaf.item;
    frame.has_item_b = true;
    ContactSearch inner(a, leaf.part, body_from_a.inverse() * walk_.a_from_b() * leaf.body_from_leaf, options_, frame,
                        sink_);
    is_done_ = !inner.run<false>(start_a, {});
    return is_done_;
  }

  PairWalk walk_;
  DistanceOptions options_;
  Frame frame_;
  Sink& sink_;
  double rounding_;
  bool is_done_ = false;
};

template <bool kOverlaps>
bool search(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
            const DistanceOptions& options, Sink& sink) {
  const Pose a_from_b = Pose::relative(world_from_a, world_from_b);
  if (!a.is_composite() && !b.is_composite()) {
    DistanceOptions bounded = options;
    bounded.max_distance = std::max(sink.limit(), 0.0);
    const Separation separation = distance(a, world_from_a, b, world_from_b, bounded);
    if (separation.status == SolveStatus::beyond_limit || separation.distance > sink.limit()) return true;
    return sink.take({0, 0, separation});
  }
  ContactSearch::Frame frame;
  frame.world_from_a = world_from_a;
  return ContactSearch(Part(a), Part(b), a_from_b, options, frame, sink).run<kOverlaps>();
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
  if (max_distance >= 0.0) {
    search<true>(a, world_from_a, b, world_from_b, options, sink);
  } else {
    search<false>(a, world_from_a, b, world_from_b, options, sink);
  }
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
  return max_distance >= 0.0 ? search<true>(a, world_from_a, b, world_from_b, options, sink)
                             : search<false>(a, world_from_a, b, world_from_b, options, sink);
}

void deepest_contacts(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                      std::size_t count, double max_distance, std::vector<CompositeContact>& contacts,
                      const DistanceOptions& options) {
  check(max_distance, /*may_be_infinite=*/true, a, b, options);
  contacts.clear();
  if (count == 0) return;
  Deepest sink(max_distance, count, contacts);
  search<false>(a, world_from_a, b, world_from_b, options, sink);
  std::sort_heap(contacts.begin(), contacts.end(), is_deeper);
}

}  // namespace abut
