// A library that answers questions about a scene of boxes; abut is one of them.
#pragma once

#include <abut/core/pose.h>
#include <Eigen/Core>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace abut::bench {

struct QueryBox {
  Vector3d half_extents;
  Pose pose;
};

struct QueryRay {
  Vector3d origin;
  Vector3d way;  ///< To the end of the ray.
};

/// A box that moves and may turn on its way.
struct QueryCast {
  QueryBox box;
  Vector3d way;
  Pose end;  ///< Of the box.
};

/// Every function answers all questions and returns the number of those with a hit, or of hits; -1 where the library
/// has no such query.
class QueryPeer {
 public:
  virtual ~QueryPeer() = default;
  /// Called once, after the boxes are there.
  virtual void prepare() {}
  virtual long first_hits(std::span<const QueryRay>) { return -1; }
  virtual long any_hits(std::span<const QueryRay>) { return -1; }
  virtual long all_hits(std::span<const QueryRay>) { return -1; }
  virtual long casts(std::span<const QueryCast>) { return -1; }
  virtual long overlaps(std::span<const QueryBox>) { return -1; }
  virtual long nearest(std::span<const Vector3d>) { return -1; }
  virtual long nearest(std::span<const QueryBox>) { return -1; }
};

[[nodiscard]] std::unique_ptr<QueryPeer> make_bullet(std::span<const QueryBox> boxes);
[[nodiscard]] std::unique_ptr<QueryPeer> make_fcl(std::span<const QueryBox> boxes);

}  // namespace abut::bench
