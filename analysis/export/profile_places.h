/// The functions, calls, kernels, accesses and loops of a profile, each once: what other programs call frames or regions.
#ifndef CUPR_ANALYSIS_PROFILE_PLACES_H
#define CUPR_ANALYSIS_PROFILE_PLACES_H

#include "analysis/metrics/profile.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace cupr::analysis {

class ProfilePlaces {
public:
  explicit ProfilePlaces(const Model &model) : program_(model.header().process.program) {}

  /// Its number, from 0 in the order in which they are asked for, and whether this is the first time.
  std::pair<std::size_t, bool> numberOf(const ProfileNode &node) {
    const auto [known, isNew] = numbers_.try_emplace(
        {node.kind, node.name, node.file, node.line, node.object, node.column}, numbers_.size());
    return {known->second, isNew};
  }
  std::string nameOf(const ProfileNode &node) const {
    return node.kind == ContextKind::Program ? program_
                                             : placedName(node.kind, node.name, node.file, node.line);
  }
  const std::string &program() const { return program_; }

private:
  const std::string program_;
  std::map<std::tuple<ContextKind, std::string, std::string, std::uint32_t, std::string, std::uint32_t>,
           std::size_t>
      numbers_;
};

} // namespace cupr::analysis

#endif
