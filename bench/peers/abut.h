// abut itself behind the same interface as the other libraries, so that all are timed by the same loops.
#pragma once

#include "peer.h"

namespace abut::peers {

/// Cold starts for pairs, warm starts for scenes: what its users get by default.
[[nodiscard]] Peer abut_peer();

/// With one point a contact, the deepest; scenes alone.
[[nodiscard]] Peer abut_point_peer();

/// Asked for no more accuracy than the others reach on curved bodies, a micrometre of distance; those pairs alone.
[[nodiscard]] Peer abut_coarse_peer();

}  // namespace abut::peers
