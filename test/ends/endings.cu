// Ways to end: by the program's own calls, by signals, in the middle of what other threads do, and with launches where everything is
// already being taken down.
#include "program.h"

#include <atomic>
#include <cassert>
#include <csignal>
#include <pthread.h>
#include <semaphore.h>
#include <stdexcept>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

__global__ void failing(int *x) {
  x[threadIdx.x] = 1;
  assert(x[0] == 2);
}
__global__ void trapping(int *x) {
  x[threadIdx.x] = 1;
  if (x[0] == 1)
    __trap();
}
__global__ void straying(int *x) { x[threadIdx.x + (1ull << 40)] = 1; }
__global__ void waiting(int *x, volatile int *never) {
  x[threadIdx.x] = 1;
  while (!*never)
    ;
}

/// Launches a kernel that fails, and says with what.
template <typename Kernel, typename... More> int failWith(Kernel kernel, More... more) {
  int *x = nullptr;
  cudaMalloc(&x, 32 * sizeof *x);
  cudaMemset(x, 0, 32 * sizeof *x);
  kernel<<<1, 32>>>(x, more...);
  say(cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

int failByAssert(const Arguments &) { return failWith(failing); }
int failByTrap(const Arguments &) { return failWith(trapping); }
int failByAddress(const Arguments &) { return failWith(straying); }
int failByTimeout(const Arguments &) {
  int *never = nullptr;
  cudaMallocHost(&never, sizeof *never);
  *never = 0;
  return failWith(waiting, never);
}

/// A launch in its destructor.
struct LaunchesAtEnd {
  explicit LaunchesAtEnd(const char *what) : text(what) {}
  ~LaunchesAtEnd() {
    launch(2);
    say(text);
  }
  const char *const text;
};

void launchAtExit() {
  launch(1);
  say("launched in an atexit handler");
}

int endInAtExit(const Arguments &) {
  std::atexit(launchAtExit);
  return 0;
}

/// The handler is older than any CUDA call: it runs behind all that was registered by them.
int endInFirstAtExit(const Arguments &) {
  std::atexit(launchAtExit);
  launch(2);
  return 5;
}

int endInStaticDestructor(const Arguments &) {
  static LaunchesAtEnd last("launched in a static destructor");
  return 0;
}

/// The first CUDA call of all is made by a static destructor.
int endInFirstStaticDestructor(const Arguments &) {
  static LaunchesAtEnd last("launched in a static destructor, for the first time");
  return 4;
}

bool launchesInFini = false;
__attribute__((destructor)) void fini() {
  if (!launchesInFini)
    return;
  launch(1);
  say("launched in a destructor function");
}
int endInFini(const Arguments &) {
  launchesInFini = true;
  return 0;
}

int endInThreadLocal(const Arguments &) {
  std::thread([] {
    thread_local LaunchesAtEnd older("launched in a thread's destructor, of the older object");
    static_cast<void>(older.text);
    launch(1);
    thread_local LaunchesAtEnd newer("launched in a thread's destructor, of the newer object");
    static_cast<void>(newer.text);
  }).join();
  thread_local LaunchesAtEnd ofMain("launched in the main thread's destructor");
  static_cast<void>(ofMain.text);
  return 0;
}

int endInThreadKey(const Arguments &) {
  static pthread_key_t key;
  pthread_key_create(&key, [](void *) {
    launch(2);
    say("launched in a key's destructor");
  });
  for (int i = 0; i < 8; ++i)
    std::thread([] {
      pthread_setspecific(key, &key);
      launch(1);
    }).join();
  return 0;
}

/// Threads that launch until the process ends.
void startLaunching(unsigned threads) {
  static std::atomic<unsigned> running{0};
  for (unsigned i = 0; i < threads; ++i)
    std::thread([] {
      for (bool first = true;; first = false) {
        launch(8);
        running += first;
      }
    }).detach();
  while (running < threads)
    std::this_thread::yield();
}

int endAmidLaunches(const Arguments &) {
  startLaunching(4);
  return 7;
}
int endByExitAmidLaunches(const Arguments &) {
  startLaunching(4);
  std::atexit(launchAtExit);
  exit(8);
}
int endByQuickExitAmidLaunches(const Arguments &) {
  startLaunching(4);
  std::quick_exit(9);
}
int endByThreadsExit(const Arguments &) {
  std::thread([] {
    startLaunching(2);
    exit(6);
  }).detach();
  for (;;)
    launch(2);
}
/// The main thread ends before the others, one of which ends the process: the device's own threads stay.
int endByPthreadExit(const Arguments &) {
  thread_local LaunchesAtEnd ofMain("launched in the main thread's destructor");
  static_cast<void>(ofMain.text);
  static const pthread_t first = pthread_self();
  std::thread([] {
    pthread_join(first, nullptr);
    for (int i = 0; i < 50; ++i)
      launch(1);
    exit(12);
  }).detach();
  std::atexit(launchAtExit);
  pthread_exit(nullptr);
}
int endByQuickExitHandler(const Arguments &) {
  std::at_quick_exit(launchAtExit);
  std::quick_exit(3);
}

int endByReturn(const Arguments &arguments) { return arguments.number(0); }
int endByExit(const Arguments &) { exit(3); }
int endByUnderscoreExit(const Arguments &) { _exit(3); }
int endByQuickExit(const Arguments &) { std::quick_exit(3); }
int endByAbort(const Arguments &) { abort(); }
int endByThrow(const Arguments &) { throw std::runtime_error("nobody catches this"); }
int endByThrowInThread(const Arguments &) {
  std::thread([] { throw std::runtime_error("nobody catches this"); }).join();
  return 0;
}
int endByCrash(const Arguments &) {
  volatile int *volatile nowhere = nullptr;
  *nowhere = 1;
  return 0;
}
int endByCrashInThread(const Arguments &) {
  std::thread([] { endByCrash({}); }).join();
  return 0;
}
int endByExec(const Arguments &) { return execl("/bin/echo", "echo", "another program", nullptr); }
int endByReset(const Arguments &) {
  cudaDeviceReset();
  launch(2);
  return 0;
}

/// The program does not get beyond the call that sends the signal.
int endByRaise(const Arguments &arguments) {
  say("raising");
  raise(arguments.number(0));
  say("after the signal");
  return 99;
}
int endByKill(const Arguments &arguments) {
  say("killing");
  kill(getpid(), arguments.number(0));
  say("after the signal");
  return 99;
}
/// Sent from outside, while the program launches.
int endByOther(const Arguments &arguments) {
  const pid_t self = getpid();
  const int signal = arguments.number(0);
  const pid_t child = fork();
  if (child == 0) {
    kill(self, signal);
    _exit(0);
  }
  for (;;)
    launch(4);
}
/// The same, while another thread waits.
int endByOtherIdle(const Arguments &arguments) {
  std::thread([] {
    for (;;)
      pause();
  }).detach();
  const pid_t self = getpid();
  const int signal = arguments.number(0);
  if (fork() == 0) {
    kill(self, signal);
    _exit(0);
  }
  for (;;)
    pause();
}
int endByThreadsSignal(const Arguments &arguments) {
  startLaunching(2);
  const int signal = arguments.number(0);
  std::thread([signal] { kill(getpid(), signal); }).join();
  for (;;)
    pause();
}
int endByTimer(const Arguments &arguments) {
  const itimerval soon{{0, 0}, {0, 1000}};
  setitimer(arguments.number(0), &soon, nullptr);
  for (;;)
    launch(1);
}
/// Somebody reads the first line of many.
int endByClosedPipe(const Arguments &) {
  for (int i = 0;; ++i) {
    if (i % 100 == 0)
      launch(1);
    if (std::printf("line %d\n", i) < 0 || std::fflush(stdout) != 0) {
      std::fprintf(stderr, "a write failed\n");
      return 1;
    }
  }
}

volatile std::sig_atomic_t seen = 0;
int endHandled(const Arguments &arguments) {
  std::signal(arguments.number(0), [](int) { seen = 1; });
  raise(arguments.number(0));
  launch(1);
  say(seen ? "handled" : "not handled");
  return seen ? 0 : 1;
}
int endIgnored(const Arguments &arguments) {
  std::signal(arguments.number(0), SIG_IGN);
  raise(arguments.number(0));
  launch(1);
  say("ignored");
  return 0;
}
/// The default, said once more: the trace need not be finished, but the process ends.
int endRestored(const Arguments &arguments) {
  std::signal(arguments.number(0), SIG_DFL);
  raise(arguments.number(0));
  return 99;
}
int endByHandlersExit(const Arguments &) {
  std::signal(SIGUSR1, [](int) { _exit(11); });
  raise(SIGUSR1);
  return 99;
}
int endWaitingForSignal(const Arguments &) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  pthread_kill(pthread_self(), SIGTERM);
  int signal = 0;
  sigwait(&set, &signal);
  launch(1);
  say("waited for the signal");
  return signal == SIGTERM ? 0 : 1;
}

} // namespace

std::map<std::string, Way> endings() {
  return {{"return", endByReturn},
          {"exit", endByExit},
          {"_exit", endByUnderscoreExit},
          {"quick_exit", endByQuickExit},
          {"quick_exit-handler", endByQuickExitHandler},
          {"abort", endByAbort},
          {"throw", endByThrow},
          {"throw-in-thread", endByThrowInThread},
          {"crash", endByCrash},
          {"crash-in-thread", endByCrashInThread},
          {"exec", endByExec},
          {"reset", endByReset},
          {"raise", endByRaise},
          {"kill", endByKill},
          {"other", endByOther},
          {"other-idle", endByOtherIdle},
          {"thread-signal", endByThreadsSignal},
          {"timer", endByTimer},
          {"closed-pipe", endByClosedPipe},
          {"handled", endHandled},
          {"ignored", endIgnored},
          {"restored", endRestored},
          {"handler-exits", endByHandlersExit},
          {"sigwait", endWaitingForSignal},
          {"atexit", endInAtExit},
          {"first-atexit", endInFirstAtExit},
          {"static-destructor", endInStaticDestructor},
          {"first-static-destructor", endInFirstStaticDestructor},
          {"fini", endInFini},
          {"thread-local", endInThreadLocal},
          {"thread-key", endInThreadKey},
          {"amid-launches", endAmidLaunches},
          {"exit-amid-launches", endByExitAmidLaunches},
          {"quick_exit-amid-launches", endByQuickExitAmidLaunches},
          {"thread-exits", endByThreadsExit},
          {"pthread_exit", endByPthreadExit},
          {"assert", failByAssert},
          {"trap", failByTrap},
          {"stray", failByAddress},
          {"timeout", failByTimeout}};
}
