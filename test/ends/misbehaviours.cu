// Ways to misbehave: descriptors that are closed, used up or taken over, limits, forks, folders that vanish. What the program writes into
// files of its own must be there as it wrote it: each way reads it back.
#include "program.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace {

/// In the working folder, which is a run's own.
int openOwn(const std::string &name) { return open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600); }

std::string contents(int file) {
  std::string text(1 << 16, '\0');
  const ssize_t length = pread(file, text.data(), text.size(), 0);
  text.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
  return text;
}

void closeFrom(unsigned first) { syscall(SYS_close_range, first, ~0u, 0); }

/// Fills descriptors with files of the program's own, which say what they are.
std::vector<int> takeDescriptors(unsigned count) {
  std::vector<int> files;
  for (unsigned i = 0; i < count; ++i) {
    const int file = openOwn("own" + std::to_string(i));
    if (file < 0)
      break;
    const std::string text = "file " + std::to_string(i) + " " + std::string(200, 'x');
    if (write(file, text.data(), text.size()) != ssize_t(text.size()))
      break;
    files.push_back(file);
  }
  return files;
}

int compare(const std::vector<int> &files) {
  int wrong = 0;
  for (unsigned i = 0; i < files.size(); ++i)
    wrong += contents(files[i]) != "file " + std::to_string(i) + " " + std::string(200, 'x');
  std::printf("%zu files, first %d, %d wrong\n", files.size(), files.empty() ? -1 : files.front(), wrong);
  std::fflush(stdout);
  return wrong != 0;
}

/// As daemons do: everything is closed, and the numbers are used again.
int closeAll(const Arguments &arguments) {
  closeFrom(3);
  const std::vector<int> files = takeDescriptors(40);
  for (int i = 0; i < 20; ++i)
    launch(8);
  if (arguments.count > 0) {
    say("raising");
    raise(arguments.number(0));
  }
  return compare(files);
}

/// With the closing loop of older programs, up to the limit.
int closeEach(const Arguments &) {
  for (int file = 3; file < int(sysconf(_SC_OPEN_MAX)) && file < 70000; ++file)
    close(file);
  const std::vector<int> files = takeDescriptors(8);
  launch(40);
  return compare(files);
}

/// A file of the program on every number up to the limit: also on those that the runtime had.
int replaceAll(const Arguments &) {
  const int file = openOwn("own");
  const char text[] = "all numbers lead here";
  if (write(file, text, sizeof text - 1) < 0)
    return 1;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  for (int number = 3; number < int(limit.rlim_cur) && number < 70000; ++number)
    if (number != file)
      dup2(file, number);
  for (int i = 0; i < 20; ++i)
    launch(8);
  say(contents(file).c_str());
  return 0;
}

/// An eventfd counts what is written to it: nothing but the program does.
int replaceByEvents(const Arguments &arguments) {
  closeFrom(3);
  std::vector<int> events;
  for (int i = 0; i < 40; ++i)
    events.push_back(eventfd(0, EFD_NONBLOCK));
  launch(40);
  int posted = 0;
  for (const int event : events) {
    unsigned long long count = 0;
    posted += read(event, &count, sizeof count) > 0;
  }
  std::printf("%d posted\n", posted);
  std::fflush(stdout);
  raise(arguments.number(0));
  return 99;
}

int useUpDescriptors(const Arguments &) {
  std::vector<int> files;
  for (int file; (file = open("/dev/null", O_RDONLY)) >= 0;)
    files.push_back(file);
  for (int i = 0; i < 10; ++i)
    launch(8);
  std::printf("%zu descriptors\n", files.size() > 0 ? files.size() : 0);
  return 0;
}
int useUpDescriptorsFirst(const Arguments &arguments) { return useUpDescriptors(arguments); }

/// The numbers that the program gets are those of the untraced program.
int numbers(const Arguments &) {
  const int file = open("/dev/null", O_RDONLY);
  std::printf("descriptor %d\n", file);
  launch(1);
  std::printf("descriptor %d\n", open("/dev/null", O_RDONLY));
  return 0;
}

int closeStandard(const Arguments &arguments) {
  const int number = arguments.number(0);
  close(number);
  const int file = openOwn("own"); // gets the number
  launch(4);
  if (number != 1)
    std::printf("descriptor %d, %zu bytes\n", file, contents(file).size());
  return contents(file).empty() ? 0 : 1;
}

/// Limits: of sizes of files, memory, descriptors, processes.
int limited(const Arguments &arguments) {
  const std::pair<const char *, int> kinds[] = {{"files", RLIMIT_FSIZE},
                                                {"descriptors", RLIMIT_NOFILE},
                                                {"processes", RLIMIT_NPROC},
                                                {"core", RLIMIT_CORE},
                                                {"data", RLIMIT_DATA}};
  for (const auto &[name, kind] : kinds)
    if (arguments.text(0) == name) {
      rlimit limit{};
      getrlimit(static_cast<__rlimit_resource>(kind), &limit);
      limit.rlim_cur = std::strtoull(arguments.text(1).c_str(), nullptr, 10);
      if (setrlimit(static_cast<__rlimit_resource>(kind), &limit) != 0)
        return 98;
    }
  for (int i = 0; i < 200; ++i)
    launch(8);
  say("within the limit");
  return 0;
}
int limitedFirst(const Arguments &arguments) { return limited(arguments); }

/// The working folder goes, and with it the place of the trace.
int leaveFolder(const Arguments &) {
  mkdir("gone", 0700);
  if (chdir("gone") != 0 || rmdir("../gone") != 0)
    return 98;
  launch(2);
  say("no folder");
  return 0;
}
int leaveFolderFirst(const Arguments &arguments) { return leaveFolder(arguments); }

/// Somebody removes the trace, or puts a file of the same name in its place.
int removeTrace(const Arguments &arguments) {
  unlink(arguments.text(0).c_str());
  launch(20);
  const bool isThere = access(arguments.text(0).c_str(), F_OK) == 0;
  say(isThere ? "it is there" : "it is gone");
  return 0;
}

int inChild(bool launches, bool endsWithExit) {
  const pid_t child = fork();
  if (child == 0) {
    if (launches)
      launch(2);
    if (endsWithExit)
      exit(5);
    _exit(5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
int forkAndExit(const Arguments &) { return inChild(true, true) != 5; }
int forkAndLeave(const Arguments &) { return inChild(true, false) != 5; }
int forkIdle(const Arguments &) { return inChild(false, true) != 5 || (launch(1), 0); }
int forkFirst(const Arguments &) { return inChild(true, true) != 5 || (launch(2), 0); }
int forkMany(const Arguments &) {
  for (int i = 0; i < 20; ++i)
    if (inChild(i % 2 == 0, i % 3 == 0) != 5)
      return 1;
  return 0;
}
int forkAmidLaunches(const Arguments &) {
  std::thread launching([] {
    for (int i = 0; i < 100; ++i)
      launch(4);
  });
  int wrong = 0;
  for (int i = 0; i < 10; ++i)
    wrong += inChild(false, true) != 5;
  launching.join();
  std::printf("%d wrong\n", wrong);
  return wrong;
}
int forkAndSignal(const Arguments &) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;)
      pause();
  }
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  launch(1);
  std::printf("child ended by %d\n", WTERMSIG(status));
  return 0;
}
/// Forks, and goes on in the child, without its parent's descriptors.
int becomeDaemon(const Arguments &) {
  int pipes[2];
  if (pipe(pipes) != 0)
    return 98;
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    closeFrom(static_cast<unsigned>(pipes[1]) + 1);
    launch(2);
    const int wrong = compare(takeDescriptors(20));
    if (write(pipes[1], &wrong, sizeof wrong) < 0)
      _exit(1);
    exit(0);
  }
  int wrong = -1;
  close(pipes[1]);
  const bool right = read(pipes[0], &wrong, sizeof wrong) == sizeof wrong && wrong == 0;
  waitpid(child, nullptr, 0);
  return right ? 0 : 1;
}
int spawn(const Arguments &) {
  pid_t child = 0;
  char name[] = "echo", word[] = "spawned";
  char *const arguments[] = {name, word, nullptr};
  std::fflush(stdout);
  if (posix_spawn(&child, "/bin/echo", nullptr, nullptr, arguments, environ) != 0)
    return 98;
  int status = 0;
  waitpid(child, &status, 0);
  launch(1);
  return status;
}
int runShell(const Arguments &) {
  std::fflush(stdout);
  const int status = std::system("echo in a shell; ls /proc/self/fd | wc -l; kill -TERM $$");
  launch(1);
  std::printf("shell ended with %d\n", status);
  return 0;
}

/// A library with kernels comes and goes.
int loadLibrary(const Arguments &arguments) {
  for (int i = 0; i < 5; ++i) {
    void *const library = dlopen(arguments.text(0).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 98;
    }
    const auto run = reinterpret_cast<int (*)(int)>(dlsym(library, "runInLibrary"));
    std::printf("the library says %d\n", run(i));
    dlclose(library);
  }
  std::fflush(stdout);
  launch(1);
  return 0;
}

/// What is known of a signal's action.
int whoHandles(const Arguments &) {
  struct sigaction action{};
  sigaction(SIGCHLD, nullptr, &action);
  say(action.sa_handler == SIG_DFL ? "default" : "another");
  return 0;
}

int showIds(const Arguments &) {
  std::printf("%s\n", geteuid() == getuid() ? "the same user" : "another user");
  return 0;
}

} // namespace

std::map<std::string, Way> misbehaviours() {
  return {{"close-all", closeAll},
          {"close-each", closeEach},
          {"replace-all", replaceAll},
          {"replace-by-events", replaceByEvents},
          {"use-up", useUpDescriptors},
          {"first-use-up", useUpDescriptorsFirst},
          {"numbers", numbers},
          {"close-standard", closeStandard},
          {"limited", limited},
          {"first-limited", limitedFirst},
          {"leave-folder", leaveFolder},
          {"first-leave-folder", leaveFolderFirst},
          {"remove-trace", removeTrace},
          {"fork-exit", forkAndExit},
          {"fork-_exit", forkAndLeave},
          {"fork-idle", forkIdle},
          {"first-fork", forkFirst},
          {"fork-many", forkMany},
          {"fork-amid-launches", forkAmidLaunches},
          {"fork-signal", forkAndSignal},
          {"daemon", becomeDaemon},
          {"spawn", spawn},
          {"shell", runShell},
          {"library", loadLibrary},
          {"sigaction", whoHandles},
          {"ids", showIds}};
}
