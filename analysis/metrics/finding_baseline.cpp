#include "finding_baseline.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace cupr::analysis {

FindingBaseline::FindingBaseline(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(path + ": can't be read");
  try {
    const nlohmann::json all = nlohmann::json::parse(file);
    for (const nlohmann::json &entry : all.at("findings")) {
      std::uint64_t &amount =
          known_[keyOf(entry.at("id"), entry.at("operation"), entry.at("kernel"), entry.at("file"),
                       entry.at("expression"), entry.at("line"), entry.value("path", ""))];
      amount = std::max(amount, entry.at("amount").get<std::uint64_t>());
    }
  } catch (const nlohmann::json::exception &error) {
    throw std::runtime_error(path + ": is not what 'cupranalyze findings --json' writes: " + error.what());
  }
}

FindingBaseline::Key FindingBaseline::keyOf(std::string rule, std::string operation, std::string kernel,
                                            const std::string &file, std::string expression,
                                            std::uint32_t line, const std::string &path) {
  if (expression.empty())
    expression = path.empty() ? std::to_string(line) : path;
  return {std::move(rule), std::move(operation), std::move(kernel), file.substr(file.find_last_of('/') + 1),
          std::move(expression)};
}

std::size_t FindingBaseline::takeOut(std::vector<Finding> &findings) const {
  return std::erase_if(findings, [&](const Finding &finding) {
    const auto known = known_.find(keyOf(idOf(finding.rule), finding.operation, finding.kernel, finding.file,
                                         finding.expression, finding.line, finding.path));
    return known != known_.end() && finding.amount <= known->second + known->second / 20;
  });
}

} // namespace cupr::analysis
