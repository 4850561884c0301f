#include "cuprewrite/commandline/words.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace cupr::commandline;
using Words = std::vector<std::string>;

TEST_CASE("A list splits at its separators") {
  CHECK(splitAt("a,b", ',') == Words{"a", "b"});
  CHECK(splitAt(",a,,b,", ',') == Words{"a", "b"});
  CHECK(splitAt("", ',').empty());
}

TEST_CASE("Words are read as by a shell") {
  CHECK(shellWords(" a 'b c' \"d e\" f\\ g ") == Words{"a", "b c", "d e", "f g"});
}

TEST_CASE("What is handed on to another program splits at commas and blanks") {
  CHECK(handedOn("-fopenmp,-Wall") == Words{"-fopenmp", "-Wall"});
  CHECK(handedOn("-march=native -fsigned-char") == Words{"-march=native", "-fsigned-char"});
  CHECK(handedOn("-Wl\\,-rpath\\,/x,-g") == Words{"-Wl,-rpath,/x", "-g"});
}

TEST_CASE("Files stand for their words") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("cupr_words_test." + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto write = [&](const char *name, const char *text) { std::ofstream(folder / name) << text; };
  write("a.rsp", "-DA='1 2'\n@b.rsp");
  write("b.rsp", "-DB --options-file c.rsp,d.rsp");
  write("c.rsp", "-DC");
  write("d.rsp", "-DD");
  write("loop.rsp", "--options-file=loop.rsp");
  std::string error;
  const auto read = [&](const Words &words) { return withFilesRead(words, folder.string(), error); };
  CHECK(read({"-DX", "@a.rsp", "-DY"}) == Words{"-DX", "-DA=1 2", "-DB", "-DC", "-DD", "-DY"});
  CHECK(read({"-optf", "c.rsp"}) == Words{"-DC"});
  CHECK(read({"--options-file=c.rsp,c.rsp"}) == Words{"-DC", "-DC"});
  CHECK(withFilesRead({"@" + (folder / "c.rsp").string()}, "", error) == Words{"-DC"});
  CHECK(error.empty());
  read({"@none.rsp"});
  CHECK(error == "the options file none.rsp can't be read");
  error.clear();
  read({"@loop.rsp"});
  CHECK(error == "the options file loop.rsp names itself");
  fs::remove_all(folder);
}
