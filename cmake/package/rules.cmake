# How cupr++ differs from clang, for CMake (toolchain.cmake).

# No step of its own for device code: it is linked where the program is.
set(CMAKE_CUDA_COMPILER_HAS_DEVICE_LINK_PHASE FALSE)
# So it links every program that holds CUDA objects, its static libraries' included, also where most of it is C++.
set(CMAKE_CUDA_LINKER_PREFERENCE 60)
set(CMAKE_CUDA_LINKER_PREFERENCE_PROPAGATES 1)
# Headers with device code are rewritten below this folder, whichever folder the build runs in.
string(APPEND CMAKE_CUDA_FLAGS_INIT " \"--root=${CMAKE_SOURCE_DIR}\"")
