// Union of shapes, each at a pose of its own.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/trees/tree_kind.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace abut {

class Shape;
struct CompoundChild;

/// Immutable and shared. Children may be of any type; compounds inside compounds are allowed.
class Compound {
 public:
  /// @param children  At least one. @throws InvalidInput
  /// @param tree      Boxes of the tree.
  explicit Compound(std::vector<CompoundChild> children, TreeKind tree = TreeKind::automatic);

  [[nodiscard]] std::span<const CompoundChild> children() const;
  /// Over the children's boxes in the compound's frame (infinite ones for half-spaces); item i is child i.
  [[nodiscard]] const BoxTree& tree() const;
  /// As it was asked for.
  [[nodiscard]] TreeKind tree_kind() const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace abut
