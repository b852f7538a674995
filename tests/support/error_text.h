// The text of the error that a call raises.
#pragma once

#include <abut/core/error.h>

#include <string>

namespace abut::samples {

/// what() of the InvalidInput that `call` throws; "no error" when it throws none.
template <class Call>
std::string error_text(const Call& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace abut::samples
