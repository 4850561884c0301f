#!/bin/sh
# Writes the assembly of the API table (api_table.h) to standard output.
#
# generate_api_table.sh REAL IMPLEMENTED HOOKED
#   REAL         the CUDA runtime's functions, one name a line (from the toolkit's library)
#   IMPLEMENTED  those of them that the CPU device implements (cupr_cpu_<name>)
#   HOOKED       those that the tracer looks at (cupr_hook_<name>)
set -eu
awk -v implemented="$2" -v hooked="$3" '
BEGIN {
  while ((getline name < implemented) > 0) cpu[name] = 1
  while ((getline name < hooked) > 0) hook[name] = 1
}
{ names[count++] = $1 }
END {
  print "  .text"
  for (i = 0; i < count; ++i) {
    n = names[i]
    printf "  .globl %s\n  .type %s, @function\n  .p2align 4\n%s:\n  jmp *cupr_api_table+%d(%%rip)\n", n, n, n, 8 * i
    printf ".Llazy%d:\n  pushq $%d\n  jmp cupr_api_select\n", i, i
    if (!(n in cpu)) printf ".Lmissing%d:\n  movl $%d, %%edi\n  jmp cuprApiMissing\n", i, i
  }
  print "  .section .data.rel,\"aw\"\n  .p2align 3\n  .globl cupr_api_table\ncupr_api_table:"
  for (i = 0; i < count; ++i) {
    # Registration runs before main and must not choose the device.
    early = names[i] ~ /^__cuda(Register|Unregister)/ && names[i] in hook
    if (early) printf "  .quad cupr_hook_%s\n", names[i]; else printf "  .quad .Llazy%d\n", i
  }
  print "  .section .data.rel.ro,\"aw\"\n  .p2align 3"
  print "  .globl cupr_api_gpu\ncupr_api_gpu:"
  for (i = 0; i < count; ++i) printf "  .quad cupr_real_%s\n", names[i]
  print "  .globl cupr_api_cpu\ncupr_api_cpu:"
  for (i = 0; i < count; ++i)
    if (names[i] in cpu) printf "  .quad cupr_cpu_%s\n", names[i]; else printf "  .quad .Lmissing%d\n", i
  print "  .globl cupr_api_hook\ncupr_api_hook:"
  for (i = 0; i < count; ++i)
    if (names[i] in hook) printf "  .quad cupr_hook_%s\n", names[i]; else print "  .quad 0"
  print "  .globl cupr_api_name\ncupr_api_name:"
  for (i = 0; i < count; ++i) printf "  .quad .Lname%d\n", i
  print "  .section .rodata"
  for (i = 0; i < count; ++i) printf ".Lname%d: .asciz \"%s\"\n", i, names[i]
  printf "  .globl cupr_api_count\n  .p2align 2\ncupr_api_count: .long %d\n", count
  print "  .section .note.GNU-stack,\"\",@progbits"
}' "$1"
