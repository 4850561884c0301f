# The close kernel's PTX (devicelib/device/close.cu), NUL-terminated as the driver wants it.
  .section .rodata
  .globl cuprClosePtx
cuprClosePtx:
  .incbin CUPR_CLOSE_PTX
  .byte 0
  .section .note.GNU-stack,"",@progbits
