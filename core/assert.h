// ABUT_ASSERT states, inside the library, what the checked edges guarantee. Debug builds stop on it, release builds
// compile it away.
#pragma once

#include <cassert>

#define ABUT_ASSERT(condition) assert(condition)
