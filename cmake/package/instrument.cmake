# cuprewrite_instrument(target
#   [DEVICE both|gpu|cpu]      what the program can run on; default: both
#   [SPACES space...]          memory to trace accesses of: global (default) and whatever else cupr++ --spaces takes
#   [KEEP directory]           keeps the augmented copies there; relative to the target's binary directory
#   [ROOT directory]           headers with device code are rewritten below it; default: the project's source directory
#   [OPTIONS option...])       further options for cupr++
#
# The target is a program or a library of any kind. Where a library is instrumented and the program that it is linked
# into is not, the program gets the runtime with it; only device code that is linked (CUDA_SEPARABLE_COMPILATION)
# needs the program to be instrumented, too.
function(cuprewrite_instrument target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DEVICE;KEEP;ROOT" "SPACES;OPTIONS")
  if(DEFINED arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cuprewrite_instrument(${target}): '${arg_UNPARSED_ARGUMENTS}' is not an argument that I know; "
      "expected DEVICE, SPACES, KEEP, ROOT or OPTIONS")
  endif()
  if(DEFINED arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "cuprewrite_instrument(${target}): ${arg_KEYWORDS_MISSING_VALUES} needs a value")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "cuprewrite_instrument(${target}): no such target; call it behind add_executable or add_library")
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(imported ${target} IMPORTED)
  if(imported OR type STREQUAL "INTERFACE_LIBRARY" OR type STREQUAL "UTILITY")
    message(FATAL_ERROR "cuprewrite_instrument(${target}): the target compiles nothing; name those that use it")
  endif()

  set(flags)
  if(DEFINED arg_DEVICE)
    if(NOT arg_DEVICE MATCHES "^(both|gpu|cpu)$")
      message(FATAL_ERROR "cuprewrite_instrument(${target}): DEVICE ${arg_DEVICE}: expected both, gpu or cpu")
    endif()
    list(APPEND flags --device=${arg_DEVICE})
  endif()
  if(DEFINED arg_SPACES)
    list(JOIN arg_SPACES "," spaces)
    list(APPEND flags --spaces=${spaces})
  endif()
  if(DEFINED arg_KEEP)
    get_target_property(folder ${target} BINARY_DIR)
    get_filename_component(keep "${arg_KEEP}" ABSOLUTE BASE_DIR "${folder}")
    list(APPEND flags "--keep=${keep}")
  endif()
  if(NOT DEFINED arg_ROOT)
    set(arg_ROOT "${PROJECT_SOURCE_DIR}")
  endif()
  get_filename_component(root "${arg_ROOT}" ABSOLUTE)
  list(APPEND flags "--root=${root}" ${arg_OPTIONS})

  if(CMAKE_CUDA_COMPILER STREQUAL cuprewrite_CUPRXX)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${flags}>")
    target_link_options(${target} PRIVATE "$<$<LINK_LANGUAGE:CUDA>:${flags}>")
  else()
    # cupr++ stands in for the compiler, and for the linker.
    set_target_properties(${target} PROPERTIES
      CUDA_COMPILER_LAUNCHER "${cuprewrite_CUPRXX};${flags};--in-place-of"
      CUDA_RESOLVE_DEVICE_SYMBOLS OFF
      CUDA_RUNTIME_LIBRARY None)
    if(type STREQUAL "STATIC_LIBRARY" OR type STREQUAL "OBJECT_LIBRARY")
      target_link_libraries(${target} INTERFACE cuprewrite::runtime)
    else()
      set(launcher)
      foreach(word IN ITEMS "${cuprewrite_CUPRXX}" ${flags} --link-with)
        string(APPEND launcher " \"${word}\"")
      endforeach()
      set_target_properties(${target} PROPERTIES RULE_LAUNCH_LINK "${launcher}")
    endif()
  endif()
endfunction()
