# Makes cupr++ the CUDA compiler of a project that knows nothing of cuprewrite:
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=PREFIX/lib/cmake/cuprewrite/toolchain.cmake ...
#
# CMake takes it for clang, whose device code it would link by itself, from what clang's own objects hold. cupr++
# links device code with the program: rules.cmake says so.
get_filename_component(cuprewrite_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(CMAKE_CUDA_COMPILER "${cuprewrite_PREFIX}/bin/cupr++")
set(CMAKE_USER_MAKE_RULES_OVERRIDE_CUDA "${CMAKE_CURRENT_LIST_DIR}/rules.cmake")
