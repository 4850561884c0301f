# The driver's calls that allocate and free, and those that make and destroy texture and surface objects, for programs
# that make them: an object of its own in libcupr.a, so that only those get them. See hook_driver_memory.cpp.
#include "driver_lead.inc"
  .text
  lead cuMemAlloc_v2
  lead cuMemAllocPitch_v2
  lead cuMemAllocManaged
  lead cuMemFree_v2
  lead cuMemAllocHost_v2
  lead cuMemHostAlloc
  lead cuMemFreeHost
  lead cuMemHostRegister_v2
  lead cuMemHostUnregister
  lead cuMemAllocAsync
  lead cuMemAllocAsync_ptsz
  lead cuMemAllocFromPoolAsync
  lead cuMemAllocFromPoolAsync_ptsz
  lead cuMemFreeAsync
  lead cuMemFreeAsync_ptsz
  lead cuMemPoolImportPointer
  lead cuIpcOpenMemHandle_v2
  lead cuIpcCloseMemHandle
  lead cuMemMap
  lead cuMemUnmap
  lead cuExternalMemoryGetMappedBuffer
  lead cuExternalMemoryGetMappedMipmappedArray
  lead cuArrayCreate_v2
  lead cuArray3DCreate_v2
  lead cuArrayDestroy
  lead cuMipmappedArrayCreate
  lead cuMipmappedArrayDestroy
  lead cuTexObjectCreate
  lead cuTexObjectDestroy
  lead cuSurfObjectCreate
  lead cuSurfObjectDestroy
  .section .note.GNU-stack,"",@progbits
