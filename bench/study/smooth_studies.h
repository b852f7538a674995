// The studies of smooth bodies, one a table or figure of An et al. and some beyond them. Each adds its rows, whose
// names start with the study:
//   table2/<draw>/<a>/<b>/<method>        pairs of table I that overlap: times, iterations, accuracy
//   table2_all/<draw>/<method>            the same over all 36 pairs
//   fig5/<method>/<tolerance>             optimality (20) against iterations and time
//   fig5_points/<method>/<index>          the same, one pose a row
//   fig6/<pair>/<depth>/<method>          time against the depth
//   minima/<draw>/<a>/<b>                 where the local solver ends, what proves it; minima_all/<draw>
//   fig8/<draw>/<a>/<b>/<method>          fitted hulls against the hulls of meshes
//   fit/<name>                            the fits
//   warm/<motion>/<method>/<start>        coherent motion
//   apart/<set>/<query>/<gap>/<method>    bodies that are apart, and yes or no
//   picture/<name>/<i>/<j>                support points over a grid of directions, for the pictures
//   picture_hull/<name>/<i>               the triangles of a hull, for the pictures
#pragma once

#include <cstddef>
#include <sstream>
#include <string>

#include "results.h"
#include "smooth_bodies.h"

namespace abut::study {

/// @param poses  Of each pair; smaller studies take a fraction of it.
void study_penetration(Results& results, std::size_t poses, Draw draw);
void study_optimality(Results& results, std::size_t poses);
void study_depth(Results& results, std::size_t poses);
void study_minima(Results& results, std::size_t poses);
void study_fits(Results& results, std::size_t poses);
void study_coherent_motion(Results& results, std::size_t poses);
void study_apart(Results& results, std::size_t poses);
void study_pictures(Results& results, std::size_t poses);

/// "-0.01", "0.0001": as short as it can be.
[[nodiscard]] inline std::string short_text(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

}  // namespace abut::study
