// What searches do with a body that the trees show: the exact test, and what it leaves to look for.
#include <abut/world/detail/searches.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace abut::detail {
namespace {

bool is_nearer(const BodySeparation& p, const BodySeparation& q) {
  return std::tie(p.separation.distance, p.body.slot) < std::tie(q.separation.distance, q.body.slot);
}

}  // namespace

std::optional<BodyRayHit> hit_of(const SeenBodies& bodies, std::uint32_t slot, const ScaledRay& ray) {
  if (!bodies.contain(slot)) return std::nullopt;
  const std::optional<ScaledHit> hit = first_hit_of(ray, bodies[slot].shape, bodies[slot].pose, {});
  if (!hit) return std::nullopt;
  return BodyRayHit{bodies.id(slot), unscaled(*hit, ray, bodies[slot].pose)};
}

SomeHit::SomeHit(const Ray& ray, const SeenBodies& bodies, std::uint32_t last)
    : ray_(ray), guess_(bodies.usable(last)) {
  if (guess_ != kNoSlot && meets(bodies, guess_)) found_ = guess_;
}

bool is_close(const SeenBodies& bodies, std::uint32_t slot, const Asker& asker, double margin) {
  return bodies.contain(slot) && asker.is_close(bodies[slot], bodies.state.settings.tolerance, margin);
}

SomeOverlap::SomeOverlap(const Asker& asker, double margin, const SeenBodies& bodies, std::uint32_t last)
    : asker_(asker), margin_(margin), guess_(bodies.usable(last)) {
  if (guess_ == kNoSlot) return;
  if (asker_.is_close(bodies[guess_], bodies.state.settings.tolerance, margin_)) found_ = guess_;
}

double SomeOverlap::consider(const SeenBodies& bodies, std::uint32_t slot) {
  if (found_ == kNoSlot && slot != guess_ && is_close(bodies, slot, asker_, margin_)) found_ = slot;
  return limit();
}

Nearest::Nearest(const Asker& asker, double max_distance, const SeenBodies& bodies, std::uint32_t last)
    : asker_(asker), reach_(max_distance), guess_(bodies.usable(last)) {
  if (guess_ != kNoSlot && asker_.has_distance(bodies[guess_])) solve(bodies, guess_);
}

double Nearest::consider(const SeenBodies& bodies, std::uint32_t slot) {
  if (slot != guess_ && asker_.has_distance(bodies[slot]) && bodies.contain(slot)) solve(bodies, slot);
  return std::max(reach_, 0.0);
}

void Nearest::solve(const SeenBodies& bodies, std::uint32_t slot) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  const double tolerance = bodies.state.settings.tolerance;
  const bool has_limit = asker_.answers_by_limit(bodies[slot]);
  Separation separation = asker_.distance(bodies[slot], tolerance, std::max(reach_, 0.0));
  if (separation.status == SolveStatus::beyond_limit) return;
  const bool is_tie = slot_ != kNoSlot && are_as_near(separation, best_);
  if (is_tie && has_limit) separation = asker_.distance(bodies[slot], tolerance, kNoLimit);
  if (is_tie && !is_without_limit_) {
    best_ = asker_.distance(bodies[slot_], tolerance, kNoLimit);
    is_without_limit_ = true;
    reach_ = best_.distance;
  }
  if (!(separation.distance <= reach_)) return;
  if (slot_ != kNoSlot && separation.distance == reach_ && slot > slot_) return;
  best_ = separation;
  slot_ = slot;
  reach_ = separation.distance;
  is_without_limit_ = is_tie || !has_limit;
}

FirstCast::FirstCast(const Shape& shape, const RigidMotion& motion, const ShapeCastOptions& options)
    : shape_(&shape), motion_(motion), options_(options), share_(obb(shape), motion.start, motion.linear) {
  const Aabb box = turned_box(motion, world_box(shape, motion.start));
  center_ = box.center();
  radius_ = box.half_extents().norm();
  half_extents_ =
      box.half_extents() + Vector3d::Constant(std::max(options.tolerance, share_.by_size) + share_.by_rounding);
}

double FirstCast::consider(const SeenBodies& bodies, std::uint32_t slot) {
  const Body& body = bodies[slot];
  if (misses(body) || !bodies.contain(slot)) return end_;
  RigidMotion of_body;
  of_body.start = body.pose;
  const double tolerance = contact_tolerance(options_, share_, tolerance_share(body));
  const ShapeCast cast = shape_cast_until(*shape_, motion_, body.shape, of_body, end_, tolerance, options_);
  if (cast.outcome == ShapeCastOutcome::clear) return end_;
  const BodyId id = bodies.id(slot);
  if (!best_ || cast.t < best_->cast.t || (cast.t == best_->cast.t && id < best_->body)) {
    best_ = BodyShapeCast{id, cast};
    end_ = std::min(std::nextafter(cast.t, 2.0), 1.0);  // a step later: an equal time of another body is found
  }
  return end_;
}

// Balls around both, up to the end that is known so far.
bool FirstCast::misses(const Body& body) const {
  if (!body.bounded) return false;
  const double length_sq = motion_.linear.squaredNorm();
  const Vector3d to_body = body.pose * body.obb.center - center_;
  const double nearest_t = length_sq > 0.0 ? to_body.dot(motion_.linear) / length_sq : 0.0;
  const Vector3d gap = to_body - std::clamp(nearest_t, 0.0, end_) * motion_.linear;
  const double reach =
      radius_ + body.obb.half_extents.norm() + contact_tolerance(options_, share_, tolerance_share(body));
  return gap.squaredNorm() > reach * reach * (1.0 + 1e-9);
}

void append_nearest(const SeenBodies& bodies, const Asker& asker, std::size_t count, double max_distance,
                    QueryContext& context, std::vector<BodySeparation>& found) {
  if (count == 0) return;
  const std::size_t begin = found.size();
  std::uint32_t& last = QueryMemory::last_nearest(context);
  const std::uint32_t guess = bodies.usable(last);
  // What a body must reach to count.
  const auto limit = [&] { return found.size() - begin < count ? max_distance : found.back().separation.distance; };
  const auto ask = [&](std::uint32_t slot, double reach) {
    return asker.distance(bodies[slot], bodies.state.settings.tolerance, reach);
  };
  std::vector<std::uint32_t>& without_limit = QueryMemory::asked_without_limit(context);
  without_limit.clear();
  const auto ask_without_limit = [&](std::uint32_t slot, Separation& separation) {
    if (!asker.answers_by_limit(bodies[slot])) return;
    if (std::find(without_limit.begin(), without_limit.end(), slot) != without_limit.end()) return;
    separation = ask(slot, std::numeric_limits<double>::infinity());
    without_limit.push_back(slot);
  };
  const auto consider = [&](std::uint32_t slot) {
    Separation separation = ask(slot, std::max(limit(), 0.0));
    if (separation.status == SolveStatus::beyond_limit) return;
    bool is_tie = false;
    for (std::size_t i = begin; i < found.size(); ++i) {
      if (!are_as_near(separation, found[i].separation)) continue;
      is_tie = true;
      ask_without_limit(found[i].body.slot, found[i].separation);
    }
    if (is_tie) ask_without_limit(slot, separation);
    const BodySeparation entry{bodies.id(slot), separation};
    const auto first = [&] { return found.begin() + static_cast<std::ptrdiff_t>(begin); };
    if (is_tie) {
      if (separation.distance <= max_distance) found.push_back(entry);
      std::sort(first(), found.end(), is_nearer);
    } else if (separation.distance <= limit()) {
      found.insert(std::upper_bound(first(), found.end(), entry, is_nearer), entry);
    }
    if (found.size() - begin > count) found.pop_back();
  };
  if (guess != kNoSlot && asker.has_distance(bodies[guess])) consider(guess);
  bodies.state.query_trees.visit_nearest(asker.box, std::max(limit(), 0.0), [&](std::uint32_t slot) {
    if (slot != guess && asker.has_distance(bodies[slot]) && bodies.contain(slot)) consider(slot);
    return std::max(limit(), 0.0);
  });
  if (found.size() > begin) last = found[begin].body.slot;
}

}  // namespace abut::detail
