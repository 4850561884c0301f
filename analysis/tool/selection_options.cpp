/// Options, and the check of the regular expression.
#include "selection_options.h"

namespace cupr::analysis {

void addSelection(CLI::App &command, Selection &selection) {
  command
      .add_option("--kernel", selection.kernel,
                  "Only launches whose kernel name matches this regular expression")
      ->check([](const std::string &text) {
        try {
          std::regex{text};
          return std::string();
        } catch (const std::regex_error &error) {
          return "'" + text + "' is not a regular expression: " + error.what();
        }
      });
  command.add_option("--launch", selection.launch, "Only the launch with this number");
  command.add_option("--limit", selection.limit, "Stop after this many warp records");
}

} // namespace cupr::analysis
