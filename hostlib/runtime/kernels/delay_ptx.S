# The delay kernel's PTX (devicelib/device/delay.cu), NUL-terminated as the driver wants it.
  .section .rodata
  .globl cuprDelayPtx
cuprDelayPtx:
  .incbin CUPR_DELAY_PTX
  .byte 0
  .section .note.GNU-stack,"",@progbits
