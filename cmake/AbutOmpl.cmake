# Finds OMPL, in the build and for the installed package: sets ompl_FOUND and gives the target ompl::ompl, which OMPL
# itself has from version 1.6 on.
find_package(ompl QUIET)
if(ompl_FOUND AND NOT TARGET ompl::ompl)
  # The library alone: what else OMPL_LIBRARIES lists is what the library itself is linked to.
  list(GET OMPL_LIBRARIES 0 ABUT_OMPL_LIBRARY)
  find_package(Eigen3 3.4 QUIET NO_MODULE)
  find_package(Boost QUIET)
  add_library(ompl::ompl INTERFACE IMPORTED)
  target_include_directories(ompl::ompl SYSTEM INTERFACE "${OMPL_INCLUDE_DIR}" ${Boost_INCLUDE_DIRS})
  target_link_libraries(ompl::ompl INTERFACE "${ABUT_OMPL_LIBRARY}" Eigen3::Eigen)
endif()
