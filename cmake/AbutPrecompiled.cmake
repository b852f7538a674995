# Headers compiled once for many files (ABUT_PRECOMPILE): reading Eigen and abut's shapes is most of what a small file
# costs. There is a set for the modules, one for the programs, whose flags differ (-fPIC), and one for the tests.
#
# A precompiled header is seen by every file, also by one that forgets to include it. Where the files of modules and
# programs are compiled one by one, to see that each includes what it needs, their sets are Eigen, poses and boxes alone.
# Nor does a compiler warn of what it reads so: core/pose.cpp and core/obb.cpp read these three headers plainly.
include_guard(GLOBAL)

# Nothing without ABUT_PRECOMPILE.
function(abut_make_precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "POSITION_INDEPENDENT" "" "HEADERS;LINK")
  if(NOT ABUT_PRECOMPILE)
    return()
  endif()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/precompiled/${name}.cpp")
  if(NOT EXISTS "${source}")
    file(WRITE "${source}" "// Headers only.\n")
  endif()
  add_library(${name} OBJECT "${source}")
  target_link_libraries(${name} PRIVATE ${arg_LINK} abut_options)
  target_include_directories(${name} PRIVATE "${ABUT_INCLUDE_LINKS}")
  target_compile_options(${name} PRIVATE
    $<$<BOOL:${ABUT_NATIVE}>:-march=native> ${ABUT_PRECOMPILE_OPTIONS})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF POSITION_INDEPENDENT_CODE ${arg_POSITION_INDEPENDENT})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  # A compiler knows a header that it has precompiled by every byte, comments too, and reads it again where one differs.
  # ccache would take what it made before a comment changed, unless it goes by the files and not by what the
  # preprocessor leaves of them. The namespace keeps it from entries that were made the other way.
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_DEPEND=1;CCACHE_NAMESPACE=abut_headers;${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
endfunction()

# What ccache needs to know a precompiled header again (its setting is CCACHE_SLOPPINESS=pch_defines,time_macros). And
# g++ is not to look for garbage among all that is precompiled, which takes what the headers save: 2 GB may pile up.
set(ABUT_PRECOMPILE_OPTIONS
  "$<$<CXX_COMPILER_ID:GNU>:SHELL:-fpch-preprocess --param ggc-min-heapsize=2000000>"
  "$<$<CXX_COMPILER_ID:Clang,AppleClang>:SHELL:-Xclang -fno-pch-timestamp>")

# The target reads the headers of abut_make_precompiled(name). Its files with options of their own do without.
function(abut_use_precompiled target name)
  if(NOT ABUT_PRECOMPILE)
    return()
  endif()
  target_compile_options(${target} PRIVATE ${ABUT_PRECOMPILE_OPTIONS})
  target_precompile_headers(${target} REUSE_FROM ${name})
  # At the end of the folder's file, where the options of its files are known.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL abut_skip_precompiled ${target})")
endfunction()

function(abut_skip_precompiled target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(options "${source}" COMPILE_OPTIONS)
    if(options)
      set_source_files_properties("${source}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()
