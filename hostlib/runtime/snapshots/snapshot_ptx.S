# The snapshot kernel's PTX (devicelib/device/snapshot.cu), NUL-terminated as the driver wants it.
  .section .rodata
  .globl cuprSnapshotPtx
cuprSnapshotPtx:
  .incbin CUPR_SNAPSHOT_PTX
  .byte 0
  .section .note.GNU-stack,"",@progbits
