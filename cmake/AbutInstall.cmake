# The installed package: the export sets, abutConfig.cmake with its version file, and abut.pc for pkg-config.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(ABUT_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/abut")

install(TARGETS abut_abut EXPORT abutTargets)
install(EXPORT abutTargets NAMESPACE abut:: DESTINATION ${ABUT_CMAKE_DIR})
foreach(module IN LISTS ABUT_COMPONENT_MODULES)
  if(TARGET abut_${module})
    install(EXPORT abut_${module}Targets NAMESPACE abut:: DESTINATION ${ABUT_CMAKE_DIR})
  endif()
endforeach()

configure_package_config_file(cmake/abutConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/abutConfig.cmake"
  INSTALL_DESTINATION ${ABUT_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/abutConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/abutConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/abutConfigVersion.cmake"
  DESTINATION ${ABUT_CMAKE_DIR})
if(TARGET abut_ompl)
  install(FILES cmake/AbutOmpl.cmake DESTINATION ${ABUT_CMAKE_DIR})
endif()

# A shared libabut_core carries its dependency on qhull itself; with a static one the user's program must name it.
set(ABUT_PC_REQUIRES "eigen3 tbb")
set(ABUT_PC_REQUIRES_PRIVATE "")
if(BUILD_SHARED_LIBS)
  set(ABUT_PC_REQUIRES_PRIVATE "qhull_r")
else()
  string(APPEND ABUT_PC_REQUIRES " qhull_r")
endif()
set(ABUT_PC_CFLAGS "")
if(ABUT_NATIVE)
  set(ABUT_PC_CFLAGS " -march=native")
endif()
# The file finds its prefix from its own place, so that the installed tree can be moved.
file(RELATIVE_PATH ABUT_PC_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" ABUT_PC_PREFIX "${ABUT_PC_PREFIX}")
configure_file(cmake/abut.pc.in "${CMAKE_CURRENT_BINARY_DIR}/abut.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/abut.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/abut)
