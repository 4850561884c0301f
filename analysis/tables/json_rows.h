/// Rows as objects of JSON, and what a JSON schema says of them.
#ifndef CUPR_ANALYSIS_TABLES_JSON_ROWS_H
#define CUPR_ANALYSIS_TABLES_JSON_ROWS_H

#include "analysis/output/json.h"
#include "column.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

/// Columns whose members have an object, or a list, in common are in it, where the first of them is.
class JsonRows {
public:
  explicit JsonRows(const RowKind &kind);

  /// The members of the object that is open.
  void write(Json &json, const Values &values) const;
  /// For a schema: the members' names in the list that is open; in the object that is open, what they are.
  void writeRequired(Json &json) const { writeRequired(json, nodes_); }
  void writeProperties(Json &json) const { writeProperties(json, nodes_); }

private:
  struct Node {
    std::string name;
    bool isList = false;
    std::size_t column = 0; ///< of a value
    std::vector<Node> inside{};
  };
  void add(std::vector<Node> &nodes, std::string_view member, std::size_t column);
  void write(Json &json, const Node &node, const Values &values) const;
  static void writeRequired(Json &json, const std::vector<Node> &nodes);
  void writeProperties(Json &json, const std::vector<Node> &nodes) const;
  void writeSchema(Json &json, const Node &node) const;

  std::span<const Column> columns_;
  std::vector<Node> nodes_;
};

} // namespace cupr::analysis

#endif
