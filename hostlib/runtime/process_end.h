/// How a process ends, and how it doubles: the moments at which its trace must be brought to an end, or left
/// alone.
///
/// A trace whose end is missing is readable, but what the writer still gathers for a running launch is lost,
/// and nobody can tell whether anything was to come. So the trace is finished
///
/// - at exit() and std::quick_exit(),
/// - when a signal ends the process that the program neither handles nor ignores. Not SIGKILL, of course.
///
/// _exit() and exec() end a process without a word; all that was written up to there is in the file.
///
/// *Signals.* Hardly anything is allowed in a handler: the thread that it interrupts may hold the very locks
/// that finishing needs. So ours only wakes a thread, which has waited for that from the beginning, and
/// finishes the trace with a time limit: kernels may run for ever. Then the signal gets its default action,
/// by which the process ends as it would have.
///
/// Signals that come from outside (SIGTERM, SIGINT ...) let the interrupted thread go on meanwhile: it may
/// have to release a lock. Those that say that the thread itself can't go on (SIGABRT, SIGSEGV ...) make it
/// wait in the handler, and it then meets its fate in its own context, as a debugger wants to see it. A
/// second signal does not wait.
///
/// Only signals with the default action are taken over, when tracing starts; handlers that the program
/// installs later replace ours.
///
/// *fork.* The child has a copy of everything but the threads. What it did to the trace would go to the
/// parent's file, so it forgets the trace, and the handlers.
#ifndef CUPR_RUNTIME_PROCESS_END_H
#define CUPR_RUNTIME_PROCESS_END_H

namespace cupr::host {

/// From now on `finish` is called, perhaps more than once and from several threads, when the process ends as
/// above, and `forked` in each child of fork(), where it may only do what is allowed there. In such a child
/// it can be called again.
void watchProcessEnd(void (*finish)(), void (*forked)());

} // namespace cupr::host

#endif
