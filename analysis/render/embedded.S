// The pages that report/ and viewer/ build, in which report.cpp puts results and viewer.cpp a trace; and what is written by hand
// of the schema of results (results_json.cpp).
  .section .rodata
  .globl cuprReportTemplate
  .globl cuprReportTemplateEnd
cuprReportTemplate:
  .incbin CUPR_REPORT_TEMPLATE
cuprReportTemplateEnd:
  .globl cuprViewerTemplate
  .globl cuprViewerTemplateEnd
cuprViewerTemplate:
  .incbin CUPR_VIEWER_TEMPLATE
cuprViewerTemplateEnd:
  .globl cuprResultsSchema
  .globl cuprResultsSchemaEnd
cuprResultsSchema:
  .incbin CUPR_RESULTS_SCHEMA
cuprResultsSchemaEnd:
  .section .note.GNU-stack,"",@progbits
