# Defaults for a build of abut itself. They would be the parent's business where abut is a part of another project.

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)  # for clang-tidy

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(ABUT_CCACHE ccache)
  mark_as_advanced(ABUT_CCACHE)
  if(ABUT_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${ABUT_CCACHE}")
  endif()
endif()

# The installed program finds shared libraries of the same installation wherever that is moved to.
include(GNUInstallDirs)
if(NOT DEFINED CMAKE_INSTALL_RPATH)
  file(RELATIVE_PATH lib_from_bin "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix/${CMAKE_INSTALL_LIBDIR}")
  set(CMAKE_INSTALL_RPATH "$ORIGIN" "$ORIGIN/${lib_from_bin}")
endif()
