# The page that report/ builds; analysis/render/report.cpp puts the results in.
  .section .rodata
  .globl cuprReportTemplate
  .globl cuprReportTemplateEnd
cuprReportTemplate:
  .incbin CUPR_REPORT_TEMPLATE
cuprReportTemplateEnd:
  .section .note.GNU-stack,"",@progbits
