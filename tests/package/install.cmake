# Installs BUILD_DIR (of configuration CONFIG) into an empty folder and moves that to PREFIX: the package must not
# depend on the place it was first installed to.
set(stage "${PREFIX}-stage")
file(REMOVE_RECURSE "${stage}" "${PREFIX}")
set(config_option)
if(CONFIG)
  set(config_option --config "${CONFIG}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${stage}" ${config_option}
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "cmake --install failed: ${result}")
endif()
file(RENAME "${stage}" "${PREFIX}")
