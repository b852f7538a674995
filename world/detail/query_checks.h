// What questions about a scene must be, alone and in batches.
#pragma once

#include <abut/core/error.h>
#include <abut/world/detail/scene_state.h>
#include <abut/world/queries.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

namespace abut::detail {

/// @throws InvalidInput  naming "scene" unless it is prepared.
inline void require_prepared(const SceneState& state) {
  if (state.is_ready_for_queries()) return;
  throw InvalidInput("scene", "needs prepare_queries() after the last change of a body");
}

/// The state of a scene. @throws InvalidInput  likewise.
inline const SceneState& prepared(const Scene& scene) {
  const SceneState& state = state_of(scene);
  require_prepared(state);
  return state;
}

/// @throws InvalidInput  naming "ray" and its field.
inline void require_named_ray(const Ray& ray) {
  try {
    require_ray(ray);
  } catch (const InvalidInput& error) {
    throw error.within("ray");
  }
}

/// @throws InvalidInput  naming "shape", or "motion" and its field.
inline void require_cast(const Shape& shape, const RigidMotion& motion) {
  if (!shape.is_bounded()) throw InvalidInput("shape", "must be bounded to be cast");
  try {
    require_motion(motion);
  } catch (const InvalidInput& error) {
    throw error.within("motion");
  }
}

/// @throws InvalidInput  naming "tolerance" or "max_iterations".
inline void require_cast_options(const ShapeCastOptions& options) {
  require_not_negative("tolerance", options.tolerance);
  if (options.max_iterations < 1) throw InvalidInput("max_iterations", "must be >= 1", options.max_iterations);
}

/// @throws InvalidInput  naming "max_distance".
inline void require_reach(double max_distance) {
  if (std::isnan(max_distance)) throw InvalidInput("max_distance", "must not be NaN", max_distance);
}

/// Runs a check of question i and names it in the error.
template <class Check>
void require_question(std::size_t i, const Check& check) {
  try {
    check();
  } catch (const InvalidInput& error) {
    throw error.within("queries[" + std::to_string(i) + "]");
  }
}

/// The same of every question: check(question) for each.
template <class Question, class Check>
void require_questions(std::span<const Question> questions, const Check& check) {
  for (std::size_t i = 0; i < questions.size(); ++i) require_question(i, [&] { check(questions[i]); });
}

/// @throws InvalidInput  naming `field` unless it has one element for each question.
inline void require_answers(const char* field, std::size_t size, std::size_t questions) {
  if (size == questions) return;
  throw InvalidInput(field, "must have one element for each of the " + std::to_string(questions) + " queries, got " +
                                std::to_string(size));
}

}  // namespace abut::detail
