// The support function of a smooth hull as a function of its parameters: values and derivatives for least squares.
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework", eq. 17.
#pragma once

#include <Eigen/Core>
#include <span>

namespace abut::detail {

using Eigen::Vector3d;

/// h(x) = (Σ max(pᵢ·x, 0)^β)^(1/β) at one direction, with its derivatives by the points and by β.
/// @param points      pᵢ, three coordinates each, one after the other, any unit.
/// @param sharpness   β > 2.
/// @param by_points   Empty, or as long as `points`: receives ∂h/∂pᵢ = (max(pᵢ·x, 0) / h)^(β-1) x.
/// @param by_sharpness  nullptr, or receives ∂h/∂β = h (Σ uᵢ^β ln uᵢ / S - ln S / β) / β with uᵢ = max(pᵢ·x, 0) / m,
///                    m the largest pᵢ·x, and S = Σ uᵢ^β.
/// @return h, in the unit of the points; 0, with derivatives 0, where no point lies ahead.
double support_model(std::span<const double> points, double sharpness, const Vector3d& direction,
                     std::span<double> by_points, double* by_sharpness);

}  // namespace abut::detail
