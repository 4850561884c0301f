/// What every way to end and to misbehave begins with: a store kernel, and a table of ways by name.
#ifndef CUPR_TEST_ENDS_PROGRAM_H
#define CUPR_TEST_ENDS_PROGRAM_H

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

/// Launches `store` with so many blocks of 32 threads: as many warp records. Ends the process when a launch or what it stored is wrong.
void launch(unsigned blocks);

/// The arguments behind the way's name.
struct Arguments {
  int count;
  char **values;
  std::string text(int index) const { return index < count ? values[index] : ""; }
  int number(int index) const { return atoi(text(index).c_str()); }
};

/// What a way returns is the program's exit status.
using Way = int (*)(const Arguments &);
std::map<std::string, Way> endings();
std::map<std::string, Way> misbehaviours();
std::map<std::string, Way> shortages();

/// The line goes out at once, and whole: what is printed before an end belongs to what the runs are compared by.
inline void say(const char *text) {
  std::printf("%s\n", text);
  std::fflush(stdout);
}

#endif
