// The list of the libraries that were found.
#include "peers.h"

namespace abut::bench {

std::vector<BroadPeerKind> broad_peers() {
  std::vector<BroadPeerKind> kinds;
#if defined(ABUT_BENCH_BULLET)
  kinds.push_back({"Bullet dbvt", 1000000, &make_bullet_tree});
  kinds.push_back({"Bullet axis sweep", 10000, &make_bullet_sweep});
#endif
#if defined(ABUT_BENCH_FCL)
  kinds.push_back({"FCL tree", 100000, &make_fcl_tree});
  kinds.push_back({"FCL sweep-and-prune", 10000, &make_fcl_sweep});
#endif
#if defined(ABUT_BENCH_CGAL)
  kinds.push_back({"CGAL", 1000000, &make_cgal});
#endif
  return kinds;
}

}  // namespace abut::bench
