/// Lets `__shared__` variables have constructors and destructors, as with nvcc.
///
/// `__shared__ cuda::barrier<cuda::thread_scope_block> barrier;` stands in every text about barriers. The
/// destructor of the class is not empty, which clang refuses, though it would never run it: nobody constructs
/// or destroys shared variables. nvcc warns, and leaves the memory as it is.
///
/// The macro `__shared__` (devicelib/device/compatibility/declarations.h) adds the attribute
/// `cupr_uninitialized`, which this file teaches clang, as a plugin (`-fplugin=`) or within cuprewrite. Where
/// the type calls for it it becomes clang's `loader_uninitialized`: no initialisation, no question asked.
/// Clang wants a trivial default constructor for that, unless the variable is an array. With any other
/// constructor clang's own rules and message remain.
#ifndef CUPR_LANGUAGE_SHARED_OBJECTS_H
#define CUPR_LANGUAGE_SHARED_OBJECTS_H

namespace cupr::language {

/// Makes the attribute known to the compiler instances of this process.
void acceptSharedObjects();

} // namespace cupr::language

#endif
