// Ipopt's interface, which asks by pointers, answered by the trajectory problem.
#include "ipopt_solver.h"

#include <IpIpoptApplication.hpp>
#include <IpSolveStatistics.hpp>
#include <IpTNLP.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace abut::parking {
namespace {

using Ipopt::Index;
using Ipopt::Number;

class IpoptProblem : public Ipopt::TNLP {
 public:
  IpoptProblem(TrajectoryProblem& problem, Solution& solution) : problem_(problem), solution_(solution) {
    guess_ = problem.initial_guess();
    pattern_ = problem.jacobian(guess_);
  }

  bool get_nlp_info(Index& variables, Index& constraints, Index& jacobian_entries, Index& hessian_entries,
                    IndexStyleEnum& style) override {
    variables = problem_.variable_count();
    constraints = problem_.constraint_count();
    jacobian_entries = static_cast<Index>(pattern_.size());
    hessian_entries = 0;  // approximated by Ipopt
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index, Number* variable_lower, Number* variable_upper, Index, Number* constraint_lower,
                       Number* constraint_upper) override {
    // Beyond ±1e19 is no bound for Ipopt, so infinities pass as they are.
    const Bounds of_variables = problem_.variable_bounds();
    const Bounds of_constraints = problem_.constraint_bounds();
    std::copy(of_variables.lower.begin(), of_variables.lower.end(), variable_lower);
    std::copy(of_variables.upper.begin(), of_variables.upper.end(), variable_upper);
    std::copy(of_constraints.lower.begin(), of_constraints.lower.end(), constraint_lower);
    std::copy(of_constraints.upper.begin(), of_constraints.upper.end(), constraint_upper);
    return true;
  }

  bool get_starting_point(Index, bool, Number* variables, bool, Number*, Number*, Index, bool, Number*) override {
    std::copy(guess_.begin(), guess_.end(), variables);
    return true;
  }

  // Where a trial point is not finite, "false" asks Ipopt for a shorter step.
  bool eval_f(Index count, const Number* variables, bool, Number& value) override {
    const Eigen::VectorXd at = vector(variables, count);
    if (!at.allFinite()) return false;
    value = problem_.objective(at);
    return true;
  }

  bool eval_grad_f(Index count, const Number* variables, bool, Number* gradient) override {
    const Eigen::VectorXd at = vector(variables, count);
    if (!at.allFinite()) return false;
    const Eigen::VectorXd result = problem_.objective_gradient(at);
    std::copy(result.begin(), result.end(), gradient);
    return true;
  }

  bool eval_g(Index count, const Number* variables, bool, Index, Number* constraints) override {
    const Eigen::VectorXd at = vector(variables, count);
    if (!at.allFinite()) return false;
    const Eigen::VectorXd result = problem_.constraints(at);
    std::copy(result.begin(), result.end(), constraints);
    return true;
  }

  bool eval_jac_g(Index count, const Number* variables, bool, Index, Index, Index* rows, Index* columns,
                  Number* values) override {
    if (values == nullptr) {  // the first call asks for the pattern
      for (std::size_t i = 0; i < pattern_.size(); ++i) {
        rows[i] = pattern_[i].row;
        columns[i] = pattern_[i].column;
      }
      return true;
    }
    const Eigen::VectorXd at = vector(variables, count);
    if (!at.allFinite()) return false;
    const std::vector<Entry> entries = problem_.jacobian(at);
    for (std::size_t i = 0; i < entries.size(); ++i) values[i] = entries[i].value;
    return true;
  }

  void finalize_solution(Ipopt::SolverReturn, Index count, const Number* variables, const Number*, const Number*, Index,
                         const Number*, const Number*, Number, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    solution_.variables = vector(variables, count);
    solution_.objective = problem_.objective(solution_.variables);
  }

 private:
  static Eigen::VectorXd vector(const Number* values, Index count) {
    return Eigen::Map<const Eigen::VectorXd>(values, count);
  }

  TrajectoryProblem& problem_;
  Solution& solution_;
  Eigen::VectorXd guess_;
  std::vector<Entry> pattern_;
};

std::string in_words(Ipopt::ApplicationReturnStatus status) {
  switch (status) {
    case Ipopt::Solve_Succeeded:
      return "solved";
    case Ipopt::Solved_To_Acceptable_Level:
      return "solved to a coarser tolerance only";
    case Ipopt::Infeasible_Problem_Detected:
      return "found no motion that meets the constraints";
    case Ipopt::Maximum_Iterations_Exceeded:
      return "stopped at the limit of iterations";
    case Ipopt::Restoration_Failed:
      return "could not get nearer to the constraints";
    case Ipopt::Search_Direction_Becomes_Too_Small:
      return "stopped: steps became too small";
    case Ipopt::Not_Enough_Degrees_Of_Freedom:
      return "refused: more equations than variables";
    default:
      return "failed with Ipopt's status " + std::to_string(static_cast<int>(status));
  }
}

}  // namespace

Solution solve(TrajectoryProblem& problem, const SolverOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Solution solution;
  solution.variables = problem.initial_guess();
  const Ipopt::SmartPtr<Ipopt::TNLP> program = new IpoptProblem(problem, solution);
  const Ipopt::SmartPtr<Ipopt::IpoptApplication> application = new Ipopt::IpoptApplication();
  const Ipopt::SmartPtr<Ipopt::OptionsList> settings = application->Options();
  settings->SetStringValue("hessian_approximation", "limited-memory");
  settings->SetStringValue("linear_solver", "mumps");
  settings->SetStringValue("sb", "yes");  // no banner
  settings->SetIntegerValue("print_level", options.verbose ? 5 : 0);
  settings->SetIntegerValue("max_iter", options.max_iterations);
  settings->SetNumericValue("tol", options.tolerance);
  settings->SetNumericValue("bound_relax_factor", 0.0);  // φ >= 0 as it stands
  settings->SetNumericValue("constr_viol_tol", options.constraint_tolerance);

  Ipopt::ApplicationReturnStatus status = application->Initialize("");  // reads no file of options
  if (status == Ipopt::Solve_Succeeded) status = application->OptimizeTNLP(program);
  solution.is_solved = status == Ipopt::Solve_Succeeded;
  solution.status = in_words(status);
  if (IsValid(application->Statistics())) solution.iterations = application->Statistics()->IterationCount();
  solution.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return solution;
}

}  // namespace abut::parking
