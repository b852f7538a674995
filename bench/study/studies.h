// The studies, one a figure or table of the papers. Each adds its rows, whose names start with the figure:
//   fig7/<query>/<gap>/<variant>              ellipsoids: iterations
//   fig9/<query>/<gap>/<variant>              hulls: iterations, times shuffled and repeated (figures 9 to 11)
//   table1/<query>/<vertices a>x<vertices b>/<variant>   hulls by their size, close to touching: times
//   fig13/<start>/<variant>                   recorded or generated trajectories: times and iterations of yes or no
//   rss_table2/<shapes>/<category>/<method>   simplex or not: iterations
//   table2/<vertices>/<method>                a quadratic program against GJK: times
//   why/<shapes>/<query>/<gap>/<choice>       GJK of the papers with single choices changed (figure 8): iterations
#pragma once

#include "problems.h"
#include "results.h"

namespace abut::study {

void study_ellipsoids(Results& results);
void study_hulls(Results& results, const Hulls& hulls);
void study_warm_starts(Results& results, const Hulls& hulls);
void study_baselines(Results& results);
void study_quadratic_program(Results& results);
void study_choices(Results& results, const Hulls& hulls);

/// "-0.01", "0.0001": as short as it can be.
[[nodiscard]] std::string text_of(double number);

}  // namespace abut::study
