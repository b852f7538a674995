// The limits of bodies smoothed by an exponent, common to hulls and solids of revolution.
#pragma once

namespace abut::detail {

/// The origin must lie inside by this fraction of the body's size: below every face, ahead of it in every direction.
inline constexpr double kSmoothInside = 1e-9;

/// Products of points and directions below this, whose inverse overflows, are taken for none.
inline constexpr double kLeastAhead = 1e-300;

}  // namespace abut::detail
