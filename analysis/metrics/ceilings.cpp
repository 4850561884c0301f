#include "ceilings.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace cupr::analysis {

namespace {

constexpr double kHertzOfKilohertz = 1e3;

std::map<std::string, double> ratesOf(const nlohmann::json &all) {
  std::map<std::string, double> rates;
  for (const auto &[name, rate] : all.items())
    if (const double number = rate.get<double>(); std::isfinite(number) && number > 0)
      rates[name] = number;
  return rates;
}

} // namespace

Ceilings readCeilings(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(path + ": can't be read");
  try {
    const nlohmann::json all = nlohmann::json::parse(file);
    const nlohmann::json &device = all.at("device");
    return {.device = device.at("name"),
            .multiprocessors = device.at("multiprocessors"),
            .clock = kHertzOfKilohertz * device.at("clock_khz").get<double>(),
            .bandwidth = ratesOf(all.at("bandwidth")),
            .throughput = ratesOf(all.at("throughput"))};
  } catch (const nlohmann::json::exception &error) {
    throw std::runtime_error(path + ": is not what examples/ceilings prints: " + error.what());
  }
}

} // namespace cupr::analysis
