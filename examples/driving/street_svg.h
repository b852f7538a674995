// A drawing of the street and of the footprint along the path, coloured by its clearance, as an SVG file.
#pragma once

#include <ostream>

#include "path_check.h"
#include "street.h"

namespace abut::driving {

/// The clearance from which on a footprint is drawn in the colour of the free, metres.
inline constexpr double kAmpleClearance = 1.0;
/// Metres along the path between two footprints that are drawn, about.
inline constexpr double kDrawnEvery = 1.0;

void write_svg(std::ostream& out, const Street& street, const Shape& footprint, const Path& path,
               const PathCheck& check);

}  // namespace abut::driving
