/// Found last, and only if no OpenMP is installed whose header goes with what clang makes of its pragmas:
/// gcc's has other types of locks.
#error "OpenMP needs LLVM's library and header: install libomp-22-dev"
