# What the targets share: warnings, sanitizers, LLVM's flags.

# cupr_target(name): the project's warnings and include root.
function(cupr_target name)
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter)
  if(CUPR_CHECKED)
    target_compile_options(${name} PRIVATE -Werror -UNDEBUG)
  endif()
  if(CUPR_SANITIZE)
    # What goes on behind undefined behaviour is code, too, and a tenth of what the compiler does.
    target_compile_options(${name} PRIVATE -fsanitize=${CUPR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -gline-tables-only
      -UNDEBUG)
    target_link_options(${name} PUBLIC -fsanitize=${CUPR_SANITIZE})
  endif()
endfunction()

# cupr_precompile(name headers...): the compiler reads these, and what most files include of the standard library, once for all files of
# the target. `headers` are others' (<fmt/format.h>), or our own, by their paths, where most of the files are compiled again anyway
# when they change. Each file includes what it needs all the same: test/style/tidy.py --each reads it without.
function(cupr_precompile name)
  set(headers ${ARGN})
  list(TRANSFORM headers PREPEND ${CMAKE_SOURCE_DIR}/ REGEX "^[^<]")
  target_precompile_headers(${name} PRIVATE <algorithm> <functional> <map> <memory> <mutex> <optional> <span> <sstream> <string>
    <unordered_map> <variant> <vector> ${headers})
endfunction()

# cupr_members(name): an archive of which others link what they use, source by source; without it, a build joins several sources in one
# (CMAKE_UNITY_BUILD), and who needs one of them gets all, with what those need.
function(cupr_members name)
  if(NOT CUPR_FUZZ) # there only our own tests link it
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endif()
endfunction()

# cupr_llvm_target(name): cupr_target for code over LLVM's headers.
function(cupr_llvm_target name)
  cupr_target(${name})
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
  separate_arguments(definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
  target_compile_definitions(${name} PUBLIC ${definitions})
  # LLVM is built without assertions, and its headers go by ours.
  target_compile_options(${name} PRIVATE -DNDEBUG)
endfunction()

# cupr_plugin(name sources...): a shared object that opt and clang load; LLVM's
# symbols come from the loading program.
function(cupr_plugin name)
  add_library(${name} MODULE ${ARGN})
  cupr_llvm_target(${name})
  set_target_properties(${name} PROPERTIES PREFIX "")
endfunction()
