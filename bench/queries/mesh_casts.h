// Casts on a mesh, a part of bench_queries.
#pragma once

namespace abut::bench {

/// Prints its rows.
void run_mesh_casts();

}  // namespace abut::bench
