/// The calls by which objects register their images, kernels and variables. They have no public
/// header; these are the signatures that clang and nvcc call.
#ifndef CUPR_RUNTIME_REGISTRATION_CALLS_H
#define CUPR_RUNTIME_REGISTRATION_CALLS_H

#include <cstddef>
#include <cuda_runtime_api.h>

extern "C" {
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *hostFunction, char *deviceFunction,
                            const char *deviceName, int threadLimit, void *threadId, void *blockId,
                            void *blockDim, void *gridDim, int *warpSize);
void __cudaRegisterVar(void **handle, char *hostVariable, char *deviceAddress, const char *deviceName,
                       int isExternal, std::size_t bytes, int isConstant, int isGlobal);
void __cudaRegisterManagedVar(void **handle, void **hostVariable, char *deviceAddress, const char *deviceName,
                              int isExternal, std::size_t bytes, int isConstant, int isGlobal);
}

#endif
