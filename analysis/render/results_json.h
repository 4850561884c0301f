/// The results as JSON, as docs/results.schema.json says.
#ifndef CUPR_ANALYSIS_RENDER_RESULTS_JSON_H
#define CUPR_ANALYSIS_RENDER_RESULTS_JSON_H

#include "analysis/metrics/trace_summary.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

/// Whether every transfer between two CTAs is listed: there may be millions.
enum class TransferList { Complete, LeftOut };

/// Gives the text to `write` in pieces; it ends with a new line.
void resultsJson(const Model &model, const Results &results, TransferList transfers,
                 const std::function<void(std::string_view)> &write);

/// Of the same document, the members that the report compares: of the program, kernels, accesses, sources, findings.
void comparedJson(const Model &model, const Results &results,
                  const std::function<void(std::string_view)> &write);

/// Only the findings, as docs/findings.schema.json says.
void findingsJson(const Model &model, const Results &results,
                  const std::function<void(std::string_view)> &write);

/// What banks make of accesses, as docs/banks.schema.json says.
void banksJson(const Model &model, const Results &results, BankWidth width,
               const std::function<void(std::string_view)> &write);

/// What 'caches --json' prints, and docs/caches.schema.json, which says so. `cold`: as CacheOptions has it.
void cachesJson(const Model &model, const Results &results, const CacheGeometry &geometry, bool cold,
                const std::function<void(std::string_view)> &write);
std::string cachesJsonSchema();

/// What 'instructions --json' prints, and docs/instructions.schema.json, which says so.
void instructionsJson(const Model &model, const Results &results,
                      const std::function<void(std::string_view)> &write);
std::string instructionsJsonSchema();

/// What 'roofline --json' prints, and docs/roofline.schema.json, which says so.
void rooflineJson(const Model &model, const Results &results,
                  const std::function<void(std::string_view)> &write);
std::string rooflineJsonSchema();

/// What 'latency --json' prints, and docs/latency.schema.json, which says so.
void latencyJson(const Model &model, const Results &results,
                 const std::function<void(std::string_view)> &write);
std::string latencyJsonSchema();

/// What 'profile --json' prints, and docs/profile.schema.json, which says so. `view`: "top-down" or "bottom-up".
void profileJson(const Model &model, const Results &results, std::string_view view,
                 const std::function<void(std::string_view)> &write);
std::string profileJsonSchema();

/// docs/results.schema.json.
std::string resultsJsonSchema();

/// What the page of several traces begins with, and docs/traces.schema.json, which says so.
void tracesJson(const std::vector<TraceSummary> &traces, const std::function<void(std::string_view)> &write);
std::string tracesJsonSchema();

/// Only the member `advisor`.
void advisorJson(const Model &model, const Results &results,
                 const std::function<void(std::string_view)> &write);

} // namespace cupr::analysis

#endif
