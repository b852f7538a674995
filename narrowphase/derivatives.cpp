// Whole shapes, or the leaves of composites that answer; what is done with them lies in sensitivity/.
#include <abut/narrowphase/derivatives.h>

#include <abut/narrowphase/part.h>
#include <abut/narrowphase/sensitivity/active_contact.h>
#include <abut/narrowphase/separate.h>

#include <utility>

namespace abut {
namespace {

using detail::ActiveContact;
using detail::Part;

// Goes down composites, and compounds within them, to the convex pair that answers.
template <class Use>
class Descent final : public detail::LeafVisitor {
 public:
  /// @param separation  World frame.
  Descent(const Separation& separation, Use use) : separation_(separation), use_(std::move(use)) {}

  void descend(const Part& a, const Pose& world_from_a, const Part& b, const Pose& world_from_b) {
    if (!a.is_composite() && !b.is_composite()) {
      use_(a, world_from_a, b, world_from_b);
      return;
    }
    const Pose* const outer_a = std::exchange(world_from_a_, &world_from_a);
    const Pose* const outer_b = std::exchange(world_from_b_, &world_from_b);
    Separation in_a = separation_;
    detail::transform(in_a, world_from_a.inverse());
    detail::visit_answering_leaves(a, b, Pose::relative(world_from_a, world_from_b), in_a, *this);
    world_from_a_ = outer_a;
    world_from_b_ = outer_b;
  }

  void visit(const Part& a, const Pose& a_from_leaf, const Part& b, const Pose& b_from_leaf) override {
    const Pose world_from_leaf_a = *world_from_a_ * a_from_leaf;
    const Pose world_from_leaf_b = *world_from_b_ * b_from_leaf;
    descend(a, world_from_leaf_a, b, world_from_leaf_b);
  }

 private:
  const Separation& separation_;
  Use use_;
  const Pose* world_from_a_ = nullptr;
  const Pose* world_from_b_ = nullptr;
};

template <class Use>
void with_convex_parts(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                       const Separation& separation, Use use) {
  Descent<Use> descent(separation, std::move(use));
  descent.descend(Part(a), world_from_a, Part(b), world_from_b);
}

}  // namespace

SeparationDerivatives derivatives(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                                  const Separation& separation) {
  SeparationDerivatives result;
  if (separation.status == SolveStatus::beyond_limit) return result;
  with_convex_parts(
      a, world_from_a, b, world_from_b, separation,
      [&](const Part& part_a, const Pose& world_from_part_a, const Part& part_b, const Pose& world_from_part_b) {
        const ActiveContact contact(part_a, world_from_part_a, part_b, world_from_part_b, separation,
                                    ActiveContact::Accuracy::settled);
        contact.write_derivatives(world_from_a.translation(), world_from_b.translation(), result);
      });
  return result;
}

Separation refined(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                   const Separation& separation) {
  Separation result = separation;
  if (separation.status == SolveStatus::beyond_limit) return result;
  with_convex_parts(
      a, world_from_a, b, world_from_b, separation,
      [&](const Part& part_a, const Pose& world_from_part_a, const Part& part_b, const Pose& world_from_part_b) {
        const ActiveContact contact(part_a, world_from_part_a, part_b, world_from_part_b, separation,
                                    ActiveContact::Accuracy::rounding);
        if (!contact.is_settled()) return;
        result.normal = contact.normal();
        result.point_a = contact.point_a();
        result.point_b = contact.point_b();
        result.distance = contact.distance();
      });
  return result;
}

}  // namespace abut
