#include "cuprewrite/headers/stamped_files.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using cupr::headers::StampedFiles;
namespace fs = std::filesystem;

namespace {

/// Gone at the end.
struct Folder {
  Folder() { fs::create_directories(path); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  ~Folder() { fs::remove_all(path); }

  std::string write(const fs::path &name, const std::string &text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
    return (path / name).string();
  }

  const fs::path path = fs::temp_directory_path() / ("stamped_files_test." + std::to_string(getpid()));
};

} // namespace

TEST_CASE("files are what they were until one changes") {
  const Folder folder;
  const std::vector<std::string> paths{folder.write("a b.h", "1"), folder.write("c.h", "22")};
  const StampedFiles files = StampedFiles::read(StampedFiles::of(paths).text());
  CHECK(files.areUnchanged());
  const auto time = fs::last_write_time(paths[0]);

  SECTION("its size") {
    folder.write("a b.h", "333");
    fs::last_write_time(paths[0], time);
    CHECK_FALSE(files.areUnchanged());
  }
  SECTION("its time, by a nanosecond") {
    fs::last_write_time(paths[0], time + std::chrono::nanoseconds(1));
    CHECK_FALSE(files.areUnchanged());
    fs::last_write_time(paths[0], time);
    CHECK(files.areUnchanged());
  }
  SECTION("it goes") {
    fs::remove(paths[1]);
    CHECK_FALSE(files.areUnchanged());
  }
}

TEST_CASE("no files, and text that is none, are not unchanged") {
  CHECK_FALSE(StampedFiles::read("").areUnchanged());
  CHECK_FALSE(StampedFiles::read("no stamp\n\n \n").areUnchanged());
  const Folder folder;
  const std::string text = StampedFiles::of({folder.write("a.h", "1")}).text();
  CHECK_FALSE(StampedFiles::read(text.substr(0, text.size() - 2)).areUnchanged());
}

TEST_CASE("a file of the same name hides one, whatever part of the path a directive names") {
  const Folder folder;
  const StampedFiles files =
      StampedFiles::of({"/usr/include/c++/12/bits/allocator.h", "/cuda/include/math.h"});
  const std::string own = (folder.path / "own").string();
  CHECK_FALSE(files.areHiddenBy(own)); // it is not there
  folder.write("own/other.h", "");
  CHECK_FALSE(files.areHiddenBy(own));
  SECTION("the name alone") { folder.write("own/math.h", ""); }
  SECTION("with its folder") { folder.write("own/bits/allocator.h", ""); }
  SECTION("with two") { folder.write("own/12/bits/allocator.h", ""); }
  CHECK(files.areHiddenBy(own));
}

TEST_CASE("a folder of that name hides nothing") {
  const Folder folder;
  fs::create_directories(folder.path / "vector");
  CHECK_FALSE(StampedFiles::of({"/usr/include/c++/12/vector"}).areHiddenBy(folder.path.string()));
}
