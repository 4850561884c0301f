/// Prints what findSymbols says of places: `describe_places BUDGET SINCE [LIBRARY] < PLACES`.
///
/// With a library, another thread is in the middle of loading it (stuck.c), and stays there: it has the loader's lock.
///
/// A place is a line with the object's path, its build ID (- for none) and an offset in hexadecimal digits. Each frame is a line with offset, function, file, line and
/// column, and tabulators in between.
#include "hostlib/runtime/paths/host_symbols.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <iostream>
#include <map>
#include <semaphore.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

extern "C" {
/// The library's constructor has begun.
sem_t libraryIsLoading;
}

/// Names of a damaged file may hold anything.
std::string inOneCell(std::string text) {
  std::ranges::replace_if(text, [](unsigned char character) { return character < ' '; }, '?');
  return text;
}

int main(int count, char **arguments) {
  if (count != 3 && count != 4)
    return 1;
  if (count == 4) {
    sem_init(&libraryIsLoading, 0, 0);
    std::thread([&] { dlopen(arguments[3], RTLD_NOW); }).detach();
    sem_wait(&libraryIsLoading);
  }
  std::vector<cupr::trace::HostObject> objects;
  std::vector<cupr::trace::HostPlace> places;
  std::map<std::pair<std::string, std::string>, std::uint32_t> indices;
  std::string path, id, offset;
  while (std::cin >> path >> id >> offset) {
    if (id == "-")
      id.clear();
    const auto [entry, isNew] = indices.try_emplace({path, id}, static_cast<std::uint32_t>(objects.size()));
    if (isNew)
      objects.push_back({path, id});
    places.push_back({entry->second, std::strtoull(offset.c_str(), nullptr, 16), {}});
  }
  cupr::host::SymbolSearch search;
  search.budget = std::chrono::milliseconds(std::atoi(arguments[1]));
  search.since = std::strtoull(arguments[2], nullptr, 10);
  cupr::host::findSymbols(objects, places, search);
  for (const auto &place : places)
    for (const auto &frame : place.frames)
      std::printf("%llx\t%s\t%s\t%u\t%u\n", static_cast<unsigned long long>(place.offset),
                  inOneCell(frame.function).c_str(), inOneCell(frame.file).c_str(), frame.line, frame.column);
  std::fflush(stdout);
  _exit(0); // exit() would wait for the loader
}
