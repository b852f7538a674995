// Validity as JSON Lines: a configuration or a motion of a robot in, whether it is free of collision out.
#pragma once

#include <abut/io/query.h>
#include <abut/planning/validity_checker.h>

#include <cstddef>
#include <string_view>

namespace abut {

/// Answers lines about one checker. Thread-safe for different states.
class ValidityAnswerer {
 public:
  /// @param with_clearance  Answers about configurations have "clearance" too.
  ValidityAnswerer(const ValidityChecker& checker, bool with_clearance)
      : checker_(checker), with_clearance_(with_clearance) {}

  /// @param line  {"id": "...", "configuration": {"joint": value}}, or {"id": "...", "from": {...}, "to": {...}} with
  ///              or without "resolution" > 0, radians or metres: with it, the motion is sampled; else it is certified.
  ///              Variables that are not named have their default. "expected" is passed over, for those who compare;
  ///              other fields are errors.
  /// @param line_number  As error_answer() takes it.
  /// @return {"id", "valid", "first_contact", "at", "clearance"}; "first_contact" where it is not valid, "at" where a
  ///         motion is not. An error object where the line cannot be answered, whatever the reason. Does not throw.
  [[nodiscard]] QueryAnswer answer(std::string_view line, ValidityChecker::State& state,
                                   std::size_t line_number = 0) const noexcept;

 private:
  ValidityChecker checker_;
  bool with_clearance_;
};

}  // namespace abut
