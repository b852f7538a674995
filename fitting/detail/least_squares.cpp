#include <abut/core/assert.h>
#include <abut/fitting/detail/least_squares.h>
#include <cminpack.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace abut::detail {
namespace {

constexpr double kGradientTolerance = 0.0;
// MINPACK's recommended bound of the first step, in units of the scaled variables.
constexpr double kFirstStep = 100.0;
constexpr int kScaledByColumns = 1;
constexpr int kResidualsWanted = 1;

int call(void* function, int residual_count, int variable_count, const double* variables, double* residuals,
         double* jacobian, int /*leading_dimension*/, int wanted) {
  const auto rows = static_cast<std::size_t>(residual_count);
  const auto columns = static_cast<std::size_t>(variable_count);
  auto& evaluate = *static_cast<std::pair<const ResidualFunction*, std::vector<double>*>*>(function);
  if (wanted == kResidualsWanted) {
    (*evaluate.first)({variables, columns}, {residuals, rows}, {});
  } else {
    // The residuals are input of this call; the function may not change them.
    (*evaluate.first)({variables, columns}, *evaluate.second, {jacobian, rows * columns});
  }
  return 0;
}

}  // namespace

LeastSquaresResult minimize_squares(const ResidualFunction& function, std::vector<double> start,
                                    std::size_t residual_count, double tolerance, int max_evaluations) {
  const std::size_t columns = start.size();
  ABUT_ASSERT(residual_count >= columns);
  std::vector<double> residuals(residual_count);
  std::vector<double> unused(residual_count);
  std::vector<double> jacobian(residual_count * columns);
  std::vector<double> scale(columns);
  std::vector<double> projected(columns);
  std::vector<double> work(3 * columns + residual_count);
  std::vector<int> permutation(columns);
  std::pair<const ResidualFunction*, std::vector<double>*> context(&function, &unused);
  int evaluations = 0;
  int jacobians = 0;
  lmder(call, &context, static_cast<int>(residual_count), static_cast<int>(columns), start.data(), residuals.data(),
        jacobian.data(), static_cast<int>(residual_count), tolerance, tolerance, kGradientTolerance, max_evaluations,
        scale.data(), kScaledByColumns, kFirstStep, /*nprint=*/0, &evaluations, &jacobians, permutation.data(),
        projected.data(), work.data(), work.data() + columns, work.data() + 2 * columns, work.data() + 3 * columns);
  LeastSquaresResult result{std::move(start), 0.0};
  for (const double residual : residuals) result.cost += residual * residual;
  return result;
}

}  // namespace abut::detail
