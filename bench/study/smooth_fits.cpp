// Figure 8 of An et al.: meshes, once as the hulls of their vertices by GJK and EPA, once as fitted smooth hulls of 20
// points by the trust region. And the pictures of all bodies.
#include <abut/narrowphase/distance.h>

#ifdef ABUT_STUDY_FITTING
#include <abut/fitting/fit_smooth_hull.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>

#include "clock.h"
#include "problems.h"
#include "smooth_peers.h"
#include "smooth_studies.h"

namespace abut::study {
namespace {

void add_picture(Results& results, const std::string& name, const Shape& shape) {
  constexpr int kRows = 60;
  constexpr int kColumns = 120;
  constexpr double kPi = 3.14159265358979323846;
  for (int i = 0; i <= kRows; ++i) {
    for (int j = 0; j <= kColumns; ++j) {
      // Off the axes by a hair: there the support point of an edge is any point of it.
      const double polar = kPi * (i + 1e-4) / (kRows + 2e-4);
      const double azimuth = 2.0 * kPi * (j + 1e-4) / kColumns;
      const Vector3d n(std::sin(polar) * std::cos(azimuth), std::sin(polar) * std::sin(azimuth), std::cos(polar));
      const Vector3d p = support(shape, n);
      results.row("picture/" + name + "/" + std::to_string(i) + "/" + std::to_string(j))
          .add("nx", n.x())
          .add("ny", n.y())
          .add("nz", n.z())
          .add("x", p.x())
          .add("y", p.y())
          .add("z", p.z());
    }
  }
}

#ifdef ABUT_STUDY_FITTING

/// Closed and convex enough to be told by its hull, from few vertices to many; of other folders the first ones.
constexpr std::array<const char*, 8> kChosen = {
    "002_master_chef_can", "025_mug",    "019_pitcher_base", "006_mustard_bottle",
    "021_bleach_cleanser", "011_banana", "013_apple",        "057_racquetball"};
constexpr std::array<const char*, 2> kPictured = {"006_mustard_bottle", "011_banana"};

void add_hull_picture(Results& results, const std::string& name, const ConvexHull& hull, const Pose& shape_from_hull) {
  std::size_t index = 0;
  for (const auto& triangle : hull.triangles()) {
    Row& row = results.row("picture_hull/" + name + "/" + std::to_string(index++));
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d p = shape_from_hull * hull.vertices()[triangle[k]];
      const std::string corner = std::to_string(k);
      row.add("x" + corner, p.x()).add("y" + corner, p.y()).add("z" + corner, p.z());
    }
  }
}

struct FittedHulls {
  std::vector<std::string> names;
  std::vector<Shape> hulls;
  std::vector<Shape> fits;
  std::vector<Pose> hull_from_fit;
  std::vector<double> sizes;  // metres
};

FittedHulls fitted_hulls(Results& results) {
  const Hulls all = load_hulls();
  FittedHulls fitted;
  for (std::size_t i = 0; i < all.shapes.size() && fitted.names.size() < kChosen.size(); ++i) {
    const bool is_chosen = std::find(kChosen.begin(), kChosen.end(), all.names[i]) != kChosen.end();
    if (all.is_ycb && !is_chosen) continue;
    const ConvexHull& hull = *all.shapes[i].get_if<ConvexHull>();
    std::optional<FitResult> fit;
    const double nanoseconds = timed([&] { fit = fit_smooth_hull(hull, FitOptions()); });
    results.row("fit/" + all.names[i])
        .add("vertices", static_cast<double>(hull.vertices().size()))
        .add("points", static_cast<double>(fit->shape.points().size()))
        .add("sharpness", fit->shape.sharpness())
        .add("size", fit->size)
        .add("rms", fit->deviation.rms)
        .add("outside", fit->deviation.outside)
        .add("inside", fit->deviation.inside)
        .add("volume_ratio", fit->volume_ratio)
        .add("seconds", 1e-9 * nanoseconds);
    fitted.names.push_back(all.names[i]);
    fitted.hulls.push_back(all.shapes[i]);
    fitted.fits.emplace_back(fit->shape);
    fitted.hull_from_fit.push_back(fit->hull_from_shape);
    fitted.sizes.push_back(fit->size);
  }
  return fitted;
}

// Both hulls overlap and both fits do, in `poses` poses.
void add_fitted_pair(Results& results, const FittedHulls& fitted, std::uint32_t a, std::uint32_t b, Draw draw,
                     std::size_t poses) {
  samples::Random random(12);
  std::vector<PosedPair> discrete;
  std::vector<PosedPair> smooth;
  while (discrete.size() < poses) {
    const PosedPair pair = penetrating_pair(fitted.hulls, a, b, draw, random);
    PosedPair as_fits = pair;
    as_fits.world_from_a = pair.world_from_a * fitted.hull_from_fit[a];
    as_fits.world_from_b = pair.world_from_b * fitted.hull_from_fit[b];
    if (!collides(fitted.fits[a], as_fits.world_from_a, fitted.fits[b], as_fits.world_from_b)) continue;
    discrete.push_back(pair);
    smooth.push_back(as_fits);
  }

  std::vector<Method> hull_methods{library_method("hull_gjk", Solver::gjk),
                                   library_method("hull_default", Solver::automatic)};
  if (std::optional<Method> libccd = libccd_method("hull_libccd", 1e-8)) hull_methods.push_back(std::move(*libccd));
  // As fractions of the sizes these tolerances are those of the bodies of table I.
  const double size = fitted.sizes[a] + fitted.sizes[b];
  const std::vector<Method> fit_methods{
      library_method("fit_rtr", Solver::rtr), library_method("fit_rtr_coarse", Solver::rtr, 0.5 * kCoarse * size),
      local_method("fit_rtr_local", detail::Subproblem::exact),
      local_method("fit_paper", detail::Subproblem::truncated_cg, 0.5 * kPaperGradient * size)};
  const auto vertices_of = [&fitted](std::uint32_t i) {
    return static_cast<double>(fitted.hulls[i].get_if<ConvexHull>()->vertices().size());
  };
  const std::string name = std::string("fig8/") + name_of(draw) + "/" + fitted.names[a] + "/" + fitted.names[b] + "/";
  const auto add = [&](std::span<const Shape> shapes, std::span<const PosedPair> pairs,
                       const std::vector<Method>& methods) {
    const std::vector<std::vector<Sample>> samples = measure(shapes, pairs, methods, /*passes=*/3);
    std::vector<double> best = best_heights(samples);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      Row& row = results.row(name + methods[m].name).add("vertices", vertices_of(a) + vertices_of(b));
      add_samples(row, samples[m], best);
    }
    return best;
  };
  const std::vector<double> depths = add(fitted.hulls, discrete, hull_methods);
  if (Row* fcl = add_fcl(results, name + "hull_fcl", fitted.hulls, discrete, depths)) {
    fcl->add("vertices", vertices_of(a) + vertices_of(b));
  }
  add(fitted.fits, smooth, fit_methods);
}

#endif

}  // namespace

#ifdef ABUT_STUDY_FITTING

void study_fits(Results& results, std::size_t poses) {
  const FittedHulls fitted = fitted_hulls(results);
  for (const Draw draw : {Draw::random, Draw::shallow}) {
    for (std::uint32_t a = 0; a < fitted.names.size(); ++a) {
      for (std::uint32_t b = a; b < fitted.names.size(); ++b) {
        add_fitted_pair(results, fitted, a, b, draw, std::max<std::size_t>(poses / 50, 1));
      }
    }
  }
}

void study_pictures(Results& results, std::size_t /*poses*/) {
  const NamedShapes bodies = table_bodies();
  for (std::size_t i = 0; i < bodies.shapes.size(); ++i) add_picture(results, bodies.names[i], bodies.shapes[i]);
  const Hulls hulls = load_hulls();
  for (std::size_t i = 0; i < hulls.shapes.size(); ++i) {
    const bool is_pictured =
        hulls.is_ycb ? std::find(kPictured.begin(), kPictured.end(), hulls.names[i]) != kPictured.end() : i < 2;
    if (!is_pictured) continue;
    const ConvexHull& hull = *hulls.shapes[i].get_if<ConvexHull>();
    const FitResult fit = fit_smooth_hull(hull, FitOptions());
    add_picture(results, "fit_" + hulls.names[i], fit.shape);
    add_hull_picture(results, hulls.names[i], hull, fit.hull_from_shape.inverse());
  }
}

#else

void study_fits(Results& results, std::size_t /*poses*/) {
  results.note("fig8", "built without abut::fitting");
}

void study_pictures(Results& results, std::size_t /*poses*/) {
  const NamedShapes bodies = table_bodies();
  for (std::size_t i = 0; i < bodies.shapes.size(); ++i) add_picture(results, bodies.names[i], bodies.shapes[i]);
}

#endif

}  // namespace abut::study
