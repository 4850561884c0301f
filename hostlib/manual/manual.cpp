#include "manual.h"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <vector>

namespace cupr::manual {

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

/// Without those of no group, which --help does not list either.
std::vector<const CLI::Option *> shownOptions(const CLI::App &app) {
  return app.get_options([](const CLI::Option *option) { return !option->get_group().empty(); });
}

void describe(const CLI::App &app, std::string &page) {
  for (const CLI::Option *option : shownOptions(app)) {
    const bool takesValue = option->get_items_expected_max() > 0 && !option->get_positional();
    page += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(option->get_name(false, true)),
                        takesValue ? " \\fI" + roff(option->get_type_name()) + "\\fR" : "",
                        roff(option->get_description()));
  }
}

std::string optionsOf(const CLI::App &app) {
  std::string words;
  for (const CLI::Option *option : shownOptions(app))
    for (const std::string &name : option->get_lnames())
      words += (words.empty() ? "--" : " --") + name;
  return words;
}

/// `ofVerbs`: what looks at the words before.
std::string completionOf(const std::string &name, const std::string &options, const std::string &ofVerbs) {
  return fmt::format(R"(# Completions of {0} for bash.
_{1}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words='{2}'
{3}  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _{1} {0}
)",
                     name, std::regex_replace(name, std::regex("\\W"), "_"), options, ofVerbs);
}

std::string nameIn(const std::string &help) { return help.substr(0, help.find(": ")); }

} // namespace

std::string manualPage(const CLI::App &app) {
  const std::string &name = app.get_name();
  std::string usage = dynamic_cast<const CLI::Formatter &>(*app.get_formatter()).make_usage(&app, name);
  usage.erase(0, usage.find(name));
  std::string page = fmt::format(".TH {} 1\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n.SH OPTIONS\n", name, name,
                                 roff(app.get_description()), roff(usage.substr(0, usage.find('\n'))));
  describe(app, page);
  const std::vector<const CLI::App *> verbs = app.get_subcommands(nullptr);
  if (!verbs.empty())
    page += ".SH VERBS\n";
  for (const CLI::App *verb : verbs) {
    page += fmt::format(".SS {}\n{}\n", verb->get_name(), roff(verb->get_description()));
    describe(*verb, page);
  }
  return page + ".SH NOTES\n" + roff(app.get_footer()) + "\n";
}

std::string manualPage(const std::string &help) {
  const std::string name = nameIn(help);
  const std::size_t end = help.find('\n');
  return fmt::format(".TH {} 1\n.SH NAME\n{} \\- {}\n.SH DESCRIPTION\n.nf\n{}.fi\n", name, name,
                     roff(help.substr(name.size() + 2, end - name.size() - 2)),
                     roff(help.substr(std::min(help.size(), end + 2))));
}

std::string bashCompletion(const CLI::App &app) {
  std::string verbs, cases;
  for (const CLI::App *verb : app.get_subcommands(nullptr)) {
    verbs += " " + verb->get_name();
    cases += fmt::format("    {}) words='{}' ;;\n", verb->get_name(), optionsOf(*verb));
  }
  const std::string ofVerbs = verbs.empty() ? ""
                                            : fmt::format(R"(  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "$words help{0}" -- "$word"))
    return
  fi
  if [ "${{COMP_WORDS[1]}}" = help ]; then
    COMPREPLY=($(compgen -W '{0}' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{1}  esac
)",
                                                          verbs, cases);
  return completionOf(app.get_name(), optionsOf(app), ofVerbs);
}

std::string bashCompletion(const std::string &help) {
  static const std::regex kOption("(?:^|\n) +(--[a-z][a-z-]*)");
  std::string words;
  for (auto found = std::sregex_iterator(help.begin(), help.end(), kOption); found != std::sregex_iterator();
       ++found)
    words += (words.empty() ? "" : " ") + (*found)[1].str();
  return completionOf(nameIn(help), words, "");
}

void addManual(CLI::App &app) {
  app.add_option_function<std::string>(
         "--completion",
         [&app](const std::string &) {
           throw CLI::CallForVersion(bashCompletion(app), CLI::ExitCodes::Success);
         },
         "Print completions for a shell: bash")
      ->option_text("bash")
      ->check(CLI::IsMember({"bash"}));
  app.add_flag_callback(
      "--manual", [&app] { throw CLI::CallForVersion(manualPage(app), CLI::ExitCodes::Success); },
      "Print the page for man");
}

} // namespace cupr::manual
