# The driver's launch calls, for programs that make them: an object of its own in libcupr.a, so that only those
# get them. See hook_driver.cpp.
#include "driver_lead.inc"
  .text
  lead cuLaunchKernel
  lead cuLaunchKernel_ptsz
  lead cuLaunchKernelEx
  lead cuLaunchKernelEx_ptsz
  lead cuLaunchCooperativeKernel
  lead cuLaunchCooperativeKernel_ptsz
  lead cuGraphLaunch
  lead cuGraphLaunch_ptsz
  .section .note.GNU-stack,"",@progbits
