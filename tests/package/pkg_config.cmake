# Compiles SOURCE with the flags that pkg-config gives for the package in PREFIX, without CMake, and runs the PROGRAM.
find_program(PKG_CONFIG NAMES pkg-config pkgconf REQUIRED)
set(ENV{PKG_CONFIG_PATH} "${PREFIX}/${LIBDIR}/pkgconfig")
set(ENV{LD_LIBRARY_PATH} "${PREFIX}/${LIBDIR}")

foreach(kind IN ITEMS cflags libs)
  execute_process(COMMAND "${PKG_CONFIG}" --${kind} abut
    OUTPUT_VARIABLE ${kind} OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(${kind} UNIX_COMMAND "${${kind}}")
endforeach()

execute_process(COMMAND "${COMPILER}" -std=c++20 -O1 ${cflags} "${SOURCE}" -o "${PROGRAM}" ${libs}
  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${PROGRAM}" COMMAND_ERROR_IS_FATAL ANY)
