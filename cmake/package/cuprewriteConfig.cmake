# The package of an installed cuprewrite.
#
#   find_package(cuprewrite REQUIRED)
#   cuprewrite_instrument(app)
#
# builds the target's CUDA sources with cupr++ and links them with the runtime, so that the program traces its memory
# accesses. What the target says counts as ever: include directories, definitions, options, CUDA_ARCHITECTURES,
# CUDA_STANDARD, CUDA_SEPARABLE_COMPILATION.
#
# Where the project has enabled the language CUDA, its compiler (nvcc, say) still builds all other targets. Where it
# has not, this package enables it, with cupr++ as the compiler: then nvcc is not needed, and all CUDA sources are
# traced.
include_guard(GLOBAL)

get_filename_component(cuprewrite_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(cuprewrite_CUPRXX "${cuprewrite_PREFIX}/bin/cupr++")

if(NOT EXISTS "${cuprewrite_CUPRXX}")
  set(cuprewrite_FOUND FALSE)
  set(cuprewrite_NOT_FOUND_MESSAGE "${cuprewrite_CUPRXX} is missing: install cuprewrite again")
  return()
endif()

if(NOT TARGET cuprewrite::runtime)
  add_library(cuprewrite::runtime STATIC IMPORTED GLOBAL)
  set_target_properties(cuprewrite::runtime PROPERTIES
    IMPORTED_LOCATION "${cuprewrite_PREFIX}/lib/libcupr.a"
    INTERFACE_INCLUDE_DIRECTORIES "${cuprewrite_PREFIX}/include"
    INTERFACE_LINK_LIBRARIES "stdc++;pthread;dl;rt")
endif()

get_property(cuprewrite_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT CUDA IN_LIST cuprewrite_languages)
  include("${CMAKE_CURRENT_LIST_DIR}/toolchain.cmake")
  enable_language(CUDA)
endif()
unset(cuprewrite_languages)

include("${CMAKE_CURRENT_LIST_DIR}/instrument.cmake")
