# One library target a folder: abut_module(core SOURCES ... LINK ... LINK_PRIVATE ...) makes abut::core. A module inside
# another one's folder says FOLDER planning/ompl, and the outer one INNER ompl, so that its headers are not installed
# with the outer one's.
#
# Headers lie beside their sources (core/pose.h, core/pose.cpp) and are included by one spelling everywhere,
# <abut/core/pose.h>. The install tree has that layout; in a build from source a link
# <build>/include/abut/core -> <source>/core provides it.
include_guard(GLOBAL)
include(GNUInstallDirs)

# How abut's own code is compiled. It serves this build alone: it is not exported, and a parent project never sees it.
add_library(abut_options INTERFACE)
target_compile_features(abut_options INTERFACE cxx_std_20)
target_compile_options(abut_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-Wall -Wextra -Wpedantic -Wconversion>
  # Files that are compiled as one hide each other's constants; builds file by file tell what hides within a file.
  $<$<AND:$<CXX_COMPILER_ID:GNU,Clang,AppleClang>,$<NOT:$<BOOL:${CMAKE_UNITY_BUILD}>>>:-Wshadow>
  $<$<BOOL:${ABUT_WERROR}>:-Werror>)

# Of the modules alone. An expression of Eigen's is a dozen functions deep. g++ takes in what is small before it optimises,
# and with its own idea of small leaves calls in the middle of sums: so a frame of 600 bodies takes 0.95 of the time.
set(ABUT_INLINING "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>:SHELL:--param early-inlining-insns=60>")

set(ABUT_INCLUDE_LINKS "${CMAKE_CURRENT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${ABUT_INCLUDE_LINKS}/abut")

include(AbutPrecompiled)
if(ABUT_PRECOMPILE)
  find_package(Eigen3 3.4 REQUIRED NO_MODULE)
  set(headers <Eigen/Core> <Eigen/Geometry> <abut/core/aabb.h> <abut/core/obb.h> <abut/core/pose.h>)
  if(CMAKE_UNITY_BUILD)
    list(APPEND headers <abut/core/shape.h> <algorithm> <array> <cmath> <cstdint> <limits> <memory> <numbers>
      <optional> <span> <string> <utility> <variant> <vector>)
  endif()
  abut_make_precompiled(abut_module_headers POSITION_INDEPENDENT HEADERS ${headers} LINK Eigen3::Eigen)
  # g++ keeps for each function what it was read with: without this Eigen's would be taken in as little as before.
  target_compile_options(abut_module_headers PRIVATE ${ABUT_INLINING})
  abut_make_precompiled(abut_program_headers HEADERS ${headers} LINK Eigen3::Eigen)
endif()

# Exported in one set, except the modules that bring dependencies of their own: those are components of the package.
set(ABUT_COMPONENT_MODULES fitting io ompl planning)

# find_package in a module's folder makes targets that this folder alone can see, while whoever links the module needs
# them too. All of them are shared, for a package of which only some targets exist cannot be found a second time.
function(abut_share_imported_targets)
  get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS imported)
    set_property(TARGET ${target} PROPERTY IMPORTED_GLOBAL TRUE)
  endforeach()
endfunction()

# A file that reads the arguments of a program, once. Sanitizers make optimising its templates (CLI11) take longer than all
# else that the program is made of.
function(abut_reads_arguments source)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -O0)
  endif()
endfunction()

function(abut_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "SOURCES;LINK;LINK_PRIVATE;INNER")
  set(target abut_${name})
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${name})
    file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${ABUT_INCLUDE_LINKS}/abut/${name}" SYMBOLIC)
  endif()
  add_library(${target} ${arg_SOURCES})
  add_library(abut::${name} ALIAS ${target})
  # No <target>_EXPORTS definition: shared libraries export every symbol, their objects are those of static ones. And
  # while the major version is 0, a minor version may break the binary interface.
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    POSITION_INDEPENDENT_CODE ON
    DEFINE_SYMBOL ""
    VERSION ${abut_VERSION}
    SOVERSION ${abut_VERSION_MAJOR}.${abut_VERSION_MINOR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Public, in the installed package too: Eigen aligns its types by the instruction set, and the types are in the API.
  target_compile_options(${target} PUBLIC $<$<BOOL:${ABUT_NATIVE}>:-march=native> PRIVATE ${ABUT_INLINING})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${ABUT_INCLUDE_LINKS}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  abut_share_imported_targets()
  target_link_libraries(${target} PUBLIC ${arg_LINK} PRIVATE ${arg_LINK_PRIVATE} $<BUILD_INTERFACE:abut_options>)
  abut_use_precompiled(${target} abut_module_headers)

  if(ABUT_INSTALL)
    set(export_set abutTargets)
    if(name IN_LIST ABUT_COMPONENT_MODULES)
      set(export_set abut_${name}Targets)
    endif()
    install(TARGETS ${target} EXPORT ${export_set}
      RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    set(without_inner)
    foreach(inner IN LISTS arg_INNER)
      list(APPEND without_inner PATTERN "${inner}" EXCLUDE)
    endforeach()
    install(DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/abut/${arg_FOLDER}
      FILES_MATCHING PATTERN "*.h" ${without_inner})
  endif()
endfunction()
