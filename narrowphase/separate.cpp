#include <abut/core/error.h>
#include <abut/narrowphase/separate.h>

#include <utility>

namespace abut::detail {

Part Part::of(const Shape& shape) {
  Part part;
  part.margin_ = shape.margin();
  if (const HalfSpace* half_space = shape.get_if<HalfSpace>()) {
    part.kind_ = Kind::half_space;
    part.half_space_ = half_space;
  } else if (shape.is_convex()) {
    part.core_ = ConvexCore::of(shape);
  } else {
    part.kind_ = Kind::composite;
    part.composite_ = &shape;
  }
  return part;
}

Separation transformed(const Separation& inner, const Pose& outer_from_inner) {
  Separation outer = inner;
  outer.point_a = outer_from_inner * inner.point_a;
  outer.point_b = outer_from_inner * inner.point_b;
  outer.normal = outer_from_inner.rotate(inner.normal);
  return outer;
}

Separation exchanged(const Separation& b_against_a, const Pose& a_from_b) {
  Separation result = transformed(b_against_a, a_from_b);
  std::swap(result.point_a, result.point_b);
  result.normal = -result.normal;
  return result;
}

Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache) {
  using Kind = Part::Kind;
  if (a.kind() == Kind::composite || b.kind() == Kind::composite) return separate_composite(a, b, a_from_b, query);
  if (a.kind() == Kind::convex && b.kind() == Kind::convex) {
    return separate_convex(a.core(), b.core(), a_from_b, query, cache);
  }
  if (a.kind() == Kind::half_space && b.kind() == Kind::half_space) {
    throw InvalidInput("shape", "two half-spaces have no distance: one of the two must be bounded");
  }
  if (a.kind() == Kind::half_space) return separate_half_space(a.half_space(), a.margin(), b.core(), a_from_b);
  return exchanged(separate_half_space(b.half_space(), b.margin(), a.core(), a_from_b.inverse()), a_from_b);
}

}  // namespace abut::detail
