#include <abut/core/error.h>
#include <abut/io/json.h>
#include <abut/io/solver_names.h>

namespace abut {

Solver solver_from_name(std::string_view name) {
  if (name == "auto") return Solver::automatic;
  if (name == "gjk") return Solver::gjk;
  if (name == "polyak") return Solver::polyak;
  if (name == "nesterov") return Solver::nesterov;
  if (name == "rtr") return Solver::rtr;
  if (name == "qp") return Solver::qp;
  throw InvalidInput("",
                     json::quoted(name) + " is not a solver; available are auto, gjk, polyak, nesterov, rtr and qp");
}

std::string_view solver_name(Solver solver) {
  if (solver == Solver::automatic) return "auto";
  if (solver != Solver::nesterov_unnormalised) return answering_solver_name(solver);
  throw InvalidInput("solver", "nesterov_unnormalised has no name in the query format");
}

std::string_view answering_solver_name(Solver solver) {
  switch (solver) {
    case Solver::gjk:
      return "gjk";
    case Solver::polyak:
      return "polyak";
    case Solver::nesterov:
    case Solver::nesterov_unnormalised:
      return "nesterov";
    case Solver::rtr:
      return "rtr";
    case Solver::qp:
      return "qp";
    case Solver::automatic:
      break;
  }
  return "closed_form";
}

WarmStart warm_start_from_name(std::string_view name) {
  if (name == "none") return WarmStart::none;
  if (name == "obb") return WarmStart::obb;
  if (name == "previous") return WarmStart::previous;
  if (name == "transformed_previous") return WarmStart::transformed_previous;
  throw InvalidInput("", json::quoted(name) +
                             " is not a warm start; known are none, obb, previous and "
                             "transformed_previous");
}

std::string_view warm_start_name(WarmStart warm_start) {
  switch (warm_start) {
    case WarmStart::none:
      return "none";
    case WarmStart::obb:
      return "obb";
    case WarmStart::transformed_previous:
      return "transformed_previous";
    case WarmStart::previous:
      break;
  }
  return "previous";
}

std::string_view status_name(SolveStatus status) {
  switch (status) {
    case SolveStatus::iteration_limit:
      return "iteration_limit";
    case SolveStatus::beyond_limit:
      return "beyond_limit";
    case SolveStatus::converged:
      break;
  }
  return "converged";
}

}  // namespace abut
