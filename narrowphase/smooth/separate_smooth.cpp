#include <abut/narrowphase/smooth/separate_smooth.h>

namespace abut::detail {

SmoothMinimum accept_depth(const AnySmoothDifference& difference, const TrustRegionResult& found,
                           const TrustRegionOptions& options, double tolerance, int max_iterations) {
  SmoothMinimum result{found.at, found.iterations, 0.0, false};
  if (found.converged) {
    const double radius = tangent_ball_radius(difference, found.at, found.at.height);
    if (is_proven_by_ball(radius, found.at.height)) {
      result.error = gap_under_ball(radius, found.at.height, found.at.gradient.norm());
      result.is_proven = true;
      return result;
    }
  }
  const DepthProof proof = prove_depth(difference, found.at, options, tolerance, max_iterations);
  result.at = proof.minimum;
  result.iterations += proof.iterations;
  const double gradient = proof.minimum.gradient.norm();
  if (proof.minimum.height <= 0.0) {  // apart after all
    result.error = std::hypot(proof.minimum.height, gradient) + proof.minimum.height;
    result.is_proven = gradient <= options.gradient;
  } else {
    // The cores are no farther apart than their points there, whatever the planes have left open.
    const double most_error = proof.minimum.height + std::hypot(proof.minimum.height, gradient);
    result.error = std::min(proof.minimum.height - proof.lower_bound + proof.gradient, most_error);
    result.is_proven = proof.lower_bound >= proof.minimum.height - tolerance && gradient <= options.gradient;
  }
  return result;
}

}  // namespace abut::detail
