// The trajectory problem given to Ipopt, an interior-point solver for sparse nonlinear programs.
// Source of the method: Wächter and Biegler, "On the implementation of an interior-point filter line-search algorithm
// for large-scale nonlinear programming" (2006). The paper on capsules used the solver ALTRO.
#pragma once

#include <Eigen/Core>

#include <string>

#include "trajectory_problem.h"

namespace abut::parking {

struct SolverOptions {
  double tolerance = 1e-6;             ///< Of Ipopt's scaled optimality conditions.
  double constraint_tolerance = 1e-8;  ///< Largest violation of a constraint, in its own unit.
  int max_iterations = 1000;
  bool verbose = false;  ///< Ipopt's own table of iterations on standard output.
};

struct Solution {
  bool is_solved = false;     ///< To the tolerance.
  std::string status;         ///< In words.
  Eigen::VectorXd variables;  ///< The last iterate where the problem is not solved.
  double objective = 0.0;
  int iterations = 0;
  double seconds = 0.0;  ///< Wall time.
};

/// Starts from the problem's initial guess. Second derivatives are approximated from the gradients (L-BFGS).
[[nodiscard]] Solution solve(TrajectoryProblem& problem, const SolverOptions& options = {});

}  // namespace abut::parking
