// Union of shapes, each at a pose of its own.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/trees/tree_kind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace abut {

class Shape;
struct CompoundChild;

/// Immutable and shared. Children may be of any type; compounds inside compounds are allowed, as deep as queries, which
/// go down into them, have stack for.
class Compound {
 public:
  /// So many compounds may be inside each other, the outermost one included.
  static constexpr std::size_t kMaxDepth = 16;

  /// @param children  At least one. @throws InvalidInput  naming tree, or children, also where compounds would be
  ///                  nested deeper than kMaxDepth.
  /// @param tree      Boxes of the tree.
  explicit Compound(std::vector<CompoundChild> children, TreeKind tree = TreeKind::automatic);

  [[nodiscard]] std::span<const CompoundChild> children() const;
  /// Over the children's boxes in the compound's frame (infinite ones for half-spaces); item i is child i.
  [[nodiscard]] const BoxTree& tree() const;
  /// As it was asked for.
  [[nodiscard]] TreeKind tree_kind() const;
  /// 1 where no child is a compound, 2 where some child is such a compound, and so on.
  [[nodiscard]] std::size_t depth() const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace abut
