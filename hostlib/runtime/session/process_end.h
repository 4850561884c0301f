/// How a process ends, and how it doubles: the moments at which its trace must be brought to an end, or left
/// alone.
///
/// A trace whose end is missing is readable, but what the writer still gathers for a running launch is lost,
/// and nobody can tell whether anything was to come. So the trace is finished
///
/// - at exit(), behind all of the program's own handlers and static destructors, which may launch kernels,
/// - at std::quick_exit(), behind the program's handlers,
/// - when a signal ends the process that the program neither handles nor ignores. Not SIGKILL, of course.
///
/// _exit() and exec() end a process without a word; all that was written up to there is in the file.
///
/// *Signals.* All whose default action ends the process are taken over, where the action is the default when
/// tracing starts; handlers that the program installs later replace ours. A program that asks for the action
/// (sigaction) sees a handler that it did not set: only a handler is called in time, and to lie about it
/// would take every function that can ask, in the program and in its libraries.
///
/// Hardly anything is allowed in a handler: the thread that it interrupts may hold the very locks
/// that finishing needs. So ours only wakes a thread, which has waited for that from the beginning, and
/// finishes the trace with a time limit: kernels may run for ever. Then the signal gets its default action,
/// by which the process ends as it would have.
///
/// The interrupted thread must not get further meanwhile: what comes behind raise(), or behind a write to a
/// closed pipe, the untraced program would never do. It waits in the handler, and meets its fate there, as a
/// debugger wants to see it. There are two exceptions. A thread that is in the runtime's own code (driver/in_runtime.h)
/// goes on to the end of that, and waits there. And one that can go on (SIGTERM, but not SIGSEGV) goes on
/// when finishing takes long: it may hold a lock of the C library. A second signal from outside does not
/// wait, unless it comes right behind the first.
///
/// Nothing of this takes descriptors, which a program may close.
///
/// *fork.* The child has a copy of everything but the threads. What it did to the trace would go to the
/// parent's file, so it forgets the trace, and the handlers.
#ifndef CUPR_RUNTIME_PROCESS_END_H
#define CUPR_RUNTIME_PROCESS_END_H

#include <csignal>

namespace cupr::host {

/// From now on `finish` is called, perhaps more than once and from several threads, when the process ends as
/// above, and `forked` in each child of fork(), where it may only do what is allowed there. In such a child
/// it can be called again.
void watchProcessEnd(void (*finish)(), void (*forked)());

} // namespace cupr::host

#endif
