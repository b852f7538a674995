// The names of solvers and warm starts in the file formats.
#pragma once

#include <abut/narrowphase/separation.h>

#include <string_view>

namespace abut {

/// "auto", "gjk", "polyak", "nesterov", "rtr" or "qp". @throws InvalidInput  without a field, for any other.
[[nodiscard]] Solver solver_from_name(std::string_view name);

/// The other direction of solver_from_name. @throws InvalidInput  naming "solver": nesterov_unnormalised has no name.
[[nodiscard]] std::string_view solver_name(Solver solver);

/// The solver that gave an answer; "closed_form" for Solver::automatic.
[[nodiscard]] std::string_view answering_solver_name(Solver solver);

/// "none", "obb", "previous", "transformed_previous". @throws InvalidInput  without a field, for any other.
[[nodiscard]] WarmStart warm_start_from_name(std::string_view name);

/// The other direction of warm_start_from_name.
[[nodiscard]] std::string_view warm_start_name(WarmStart warm_start);

/// "converged", "iteration_limit" or "beyond_limit".
[[nodiscard]] std::string_view status_name(SolveStatus status);

}  // namespace abut
