// What a step of the walk needs of either side, in floats.
#include <abut/narrowphase/composite/pair_walk.h>

#include <abut/core/infinity.h>
#include <abut/core/trees/rotation.h>

namespace abut::detail {
namespace {

// Steps of rounding that a gap may have gone through, each of at most 2^-24 of the coordinates that enter it: products
// with one rotation, or with three of which two come from quaternions.
constexpr float kGapRounding = 0x1p-19F;
constexpr float kGapRoundingOriented = 0x1p-17F;

// Units of a side: three squares of larger coordinates, and of gaps between them, might overflow together.
constexpr double kFarthest = 0x1p60;

}  // namespace

WalkMap::WalkMap(const WalkSide& outer, const WalkSide& inner, const Pose& outer_body_from_inner_body) {
  if (outer.tree() == nullptr) return;
  const Pose map = outer.frame().inverse() * outer_body_from_inner_body * inner.frame();
  unit = outer.unit();
  reach = outer.reach();
  Vector3d shift = map.translation() / unit;
  double largest = shift.cwiseAbs().maxCoeff();
  double ratio = inner.unit() / unit;
  const double farthest = largest + ratio * static_cast<double>(inner.reach());
  is_far = farthest > kFarthest && std::isfinite(farthest);
  if (is_far) [[unlikely]] {
    const double larger = std::ldexp(1.0, std::ilogb(farthest));  // in units of the outer side
    unit *= larger;
    reach = static_cast<float>(static_cast<double>(reach) / larger);
    shift /= larger;
    largest /= larger;
    ratio /= larger;
  }
  scale = static_cast<float>(ratio);
  for (std::size_t i = 0; i < 3; ++i) {
    translation[i] = static_cast<float>(shift[static_cast<Eigen::Index>(i)]);
    for (std::size_t j = 0; j < 3; ++j) {
      rotation[i][j] = static_cast<float>(map.rotation()(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
    }
  }
  const bool is_oriented = outer.is_oriented() || inner.is_oriented();
  pad = (is_oriented ? kGapRoundingOriented : kGapRounding) *
        (reach + scale * inner.reach() + static_cast<float>(largest));
}

// What becomes too small for a float is nothing next to the pad; infinite sides stay so.
BoxTree::Node WalkMap::brought(const WalkSide& outer, const BoxTree::Node& node) const {
  BoxTree::Node result = node;
  const double ratio = outer.unit() / unit;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t slot = 0; slot < BoxTree::kWidth; ++slot) {
      result.lower[k][slot] = static_cast<float>(ratio * static_cast<double>(node.lower[k][slot]));
      result.upper[k][slot] = static_cast<float>(ratio * static_cast<double>(node.upper[k][slot]));
    }
  }
  return result;
}

PairWalk::PairWalk(const Part& a, const Part& b, const Pose& a_from_b)
    : a_(a),
      b_(b),
      a_from_b_(a_from_b),
      b_from_a_(a_from_b.inverse()),
      map_a_from_b_(a_, b_, a_from_b_),
      map_b_from_a_(b_, a_, b_from_a_),
      kernels_(best_node_kernels()) {
  const auto plane_of = [](const Part& part, const Pose& tree_from_part) {
    const HalfSpace& half_space = part.as<HalfSpace>();
    const Vector3d normal = tree_from_part.rotate(half_space.normal());
    return WalkPlane{normal, half_space.offset() + part.margin() + normal.dot(tree_from_part.translation())};
  };
  if (a_.is_plane()) plane_of_half_space_ = plane_of(a, b_from_a_);
  if (b_.is_plane()) plane_of_half_space_ = plane_of(b, a_from_b_);
}

// The box of one side in the frame of a node of the other.
TurnedBox PairWalk::turned(const WalkSide& side, WalkRef ref, const WalkMap& map, const BoxTree::Node& node) {
  using Matrix = RotationMatrix<float>;
  const auto product = [](const Matrix& x, const Matrix& y) {
    Matrix result;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) result[i][j] = x[i][0] * y[0][j] + x[i][1] * y[1][j] + x[i][2] * y[2][j];
    }
    return result;
  };
  const WalkBox box = side.box(ref);
  TurnedBox result;
  result.pad = map.pad;
  const float sides = box.half[0] + box.half[1] + box.half[2];
  if (!(sides < kFloatInfinity)) {  // of an unbounded box
    for (std::size_t k = 0; k < 3; ++k) {
      result.center[k] = 0.0F;
      result.half[k] = result.reach[k] = kFloatInfinity;
      for (std::size_t j = 0; j < 3; ++j) result.axes[j][k] = j == k ? 1.0F : 0.0F;
    }
    return result;
  }
  Matrix rotation = map.rotation;  // into_from_box
  if (side.is_oriented() && ref.slot != WalkRef::kWhole && side.tree()->nodes()[ref.node].is_turned != 0) {
    rotation = product(rotation, rotation_matrix<float>(side.tree()->nodes()[ref.node].rotation));
  }
  std::array<float, 3> center;
  for (std::size_t i = 0; i < 3; ++i) {
    const float along =
        rotation[i][0] * box.center[0] + rotation[i][1] * box.center[1] + rotation[i][2] * box.center[2];
    center[i] = map.scale * along + map.translation[i];
  }
  if (node.is_turned != 0) {
    const Matrix tree_from_node = rotation_matrix<float>(node.rotation);
    Matrix node_from_tree;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) node_from_tree[i][j] = tree_from_node[j][i];
    }
    rotation = product(node_from_tree, rotation);
    for (std::size_t i = 0; i < 3; ++i) {
      result.center[i] =
          node_from_tree[i][0] * center[0] + node_from_tree[i][1] * center[1] + node_from_tree[i][2] * center[2];
    }
  } else {
    for (std::size_t i = 0; i < 3; ++i) result.center[i] = center[i];
  }
  for (std::size_t j = 0; j < 3; ++j) {
    result.half[j] = map.scale * box.half[j];
    for (std::size_t i = 0; i < 3; ++i) result.axes[j][i] = rotation[i][j];
  }
  result.set_reach();
  return result;
}

TurnedPlane PairWalk::turned(const WalkPlane& plane, const WalkSide& into, const WalkMap& map,
                             const BoxTree::Node& node) {
  const Vector3d& origin = into.frame().translation();
  const double offset = plane.offset - plane.normal.dot(origin);
  TurnedPlane result;
  result.offset = static_cast<float>(offset / map.unit);
  Vector3d normal = plane.normal;
  if (node.is_turned != 0) {
    const auto tree_from_node = rotation_matrix<double>(node.rotation);
    for (std::size_t k = 0; k < 3; ++k) {
      normal[static_cast<Eigen::Index>(k)] = tree_from_node[0][k] * plane.normal[0] +
                                             tree_from_node[1][k] * plane.normal[1] +
                                             tree_from_node[2][k] * plane.normal[2];
    }
  }
  for (std::size_t k = 0; k < 3; ++k) result.normal[k] = static_cast<float>(normal[static_cast<Eigen::Index>(k)]);
  // The offset was rounded where it was the difference of two large numbers.
  const double lost = (std::abs(plane.offset) + origin.cwiseAbs().sum()) / map.unit;
  result.pad = kGapRoundingOriented * map.reach + 0x1p-22F * std::abs(result.offset) +
               0x1p-22F * 0x1p-26F * static_cast<float>(lost);
  return result;
}

}  // namespace abut::detail
