# TBB::tbb for the thread sanitizer: the part of oneTBB that abut uses, as headers on std::thread.
#
# The oneTBB of a distribution is not compiled with -fsanitize=thread. The sanitizer then misses that a loop's end comes
# after its iterations and reports a race for every result that is read; suppressing the reports whose stack has libtbb
# in it would suppress all of abut's parallel code. Here every synchronisation is seen, and real races are reported. The
# preset tsan selects this folder by TBB_DIR; nothing else uses it. A part that is missing here fails to link.
find_package(Threads REQUIRED)
if(NOT TARGET TBB::tbb)
  add_library(TBB::tbb INTERFACE IMPORTED)
  set_target_properties(TBB::tbb PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}/include"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
