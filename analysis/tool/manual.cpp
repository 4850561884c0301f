#include "manual.h"

#include <fmt/format.h>

namespace cupr::analysis {

namespace {

/// As roff wants it: no line begins with a control character, and backslashes and minus signs are what they are.
std::string roff(const std::string &text) {
  std::string result;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
      result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

void describe(const CLI::App &app, std::string &page) {
  for (const CLI::Option *option : app.get_options()) {
    const bool takesValue = option->get_items_expected_max() > 0 && !option->get_positional();
    page += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(option->get_name(false, true)),
                        takesValue ? " \\fI" + roff(option->get_type_name()) + "\\fR" : "",
                        roff(option->get_description()));
  }
}

std::string optionsOf(const CLI::App &app) {
  std::string words;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      words += (words.empty() ? "--" : " --") + name;
  return words;
}

} // namespace

std::string manualPage(const CLI::App &app) {
  std::string page = fmt::format(
      ".TH {} 1\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n.I VERB\n[options]\n.I TRACE\n.SH OPTIONS\n",
      app.get_name(), app.get_name(), roff(app.get_description()), app.get_name());
  describe(app, page);
  page += ".SH VERBS\n";
  for (const CLI::App *verb : app.get_subcommands(nullptr)) {
    page += fmt::format(".SS {}\n{}\n", verb->get_name(), roff(verb->get_description()));
    describe(*verb, page);
  }
  return page + ".SH NOTES\n" + roff(app.get_footer()) + "\n";
}

std::string bashCompletion(const CLI::App &app) {
  std::string verbs, cases;
  for (const CLI::App *verb : app.get_subcommands(nullptr)) {
    verbs += (verbs.empty() ? "" : " ") + verb->get_name();
    cases += fmt::format("    {}) words='{}' ;;\n", verb->get_name(), optionsOf(*verb));
  }
  return fmt::format(R"(# Completions of {0} for bash.
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W '{1} help {2}' -- "$word"))
    return
  fi
  if [ "${{COMP_WORDS[1]}}" = help ]; then
    COMPREPLY=($(compgen -W '{1}' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{3}  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _{0} {0}
)",
                     app.get_name(), verbs, optionsOf(app), cases);
}

} // namespace cupr::analysis
