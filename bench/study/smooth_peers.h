// libccd and FCL on smooth bodies. libccd takes any support function and is given abut's; FCL has shapes of its own: of
// those here the ellipsoid and the hulls. Each where it is installed.
#pragma once

#include <optional>
#include <span>

#include "smooth_methods.h"

namespace abut::study {

/// GJK with EPA. Nothing where libccd is not installed.
/// @param epa_tolerance  Of a difference of squared lengths, m², as libccd has it.
[[nodiscard]] std::optional<Method> libccd_method(const std::string& name, double epa_tolerance);

/// Its time is the mean of a query: FCL is asked all pairs in one go, in their order, where they lie in its own types.
/// Adds that and how many depths are off by more than a micrometre and a millimetre, or missing.
/// @param shapes  Ellipsoids and convex hulls.
/// @param best    The depths, one a pair, metres.
/// @return The row, or null where FCL is not installed.
Row* add_fcl(Results& results, const std::string& row_name, std::span<const Shape> shapes,
             std::span<const PosedPair> pairs, std::span<const double> best);

}  // namespace abut::study
