// The page that report/ builds, in which analysis/render/report.cpp puts results; and what is written by hand of
// the schema of results (analysis/render/results_json.cpp).
  .section .rodata
  .globl cuprReportTemplate
  .globl cuprReportTemplateEnd
cuprReportTemplate:
  .incbin CUPR_REPORT_TEMPLATE
cuprReportTemplateEnd:
  .globl cuprResultsSchema
  .globl cuprResultsSchemaEnd
cuprResultsSchema:
  .incbin CUPR_RESULTS_SCHEMA
cuprResultsSchemaEnd:
  .section .note.GNU-stack,"",@progbits
