/// What clang 22 calls in OpenMP code and LLVM's libraries before version 19 lack. Linked behind the library,
/// so that it is taken only where that has none.

/// Stands at the end of loops with a dynamic schedule. Newer libraries have it, without a body.
extern "C" void __kmpc_dispatch_deinit(void *, int) {}
