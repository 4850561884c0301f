/// Words of the figures, each explained where it stands: a press on it opens the explanation. All of them are in a
/// list at the page's end, too, for paper.
import { button, element } from "./dom.ts";

const meanings = {
  access: "One thread loads, stores or does an atomic. A warp's 32 threads access together.",
  request: "One memory instruction of a warp, with the addresses of all its threads that take part.",
  sector: "32 bytes of memory that begin at a multiple of 32: the least that a GPU moves. A request moves every sector that holds a byte of it.",
  "sectors per request": "Sectors / requests. A full warp with 4 bytes a thread, side by side, needs 4; 32 is the worst.",
  "ideal sectors": "What the requests would move if the bytes of each lay side by side from the begin of a sector.",
  excess: "Sectors - ideal sectors: what a better layout, or another order of threads, would spare.",
  instruction: "Executed by a warp, of the optimised code, in programs that are built to record it. It is a function's, or its loop's, own.",
  "instructions by threads": "Instructions, each counted once for every thread of the warp that was active. 32 times the instructions where no thread stands aside.",
  limit: "What takes longest by itself: the operations of one precision at that precision's peak, or the bytes of one level of memory at its bandwidth. A kernel can't take less time than that.",
  "of use": "Ideal sectors / sectors: how much of what moved was asked for.",
  communicated: "Bytes that one launch writes and a later one reads. Of a line: distinct bytes that it wrote, and bytes that its threads read.",
  "mean cycles": "How long an access of a warp took, on average, in launches that were timed: from the clock in front of it to the one behind it. Of a line: its accesses of all memory that was recorded.",
  p50: "Half of the accesses took no more cycles.",
  p99: "99 % of the accesses took no more cycles.",
  "memory time": "The cycles of these accesses, of those of all accesses that were timed. Accesses of many warps are under way at once, so it is no share of the kernel's time.",
  "host time": "Time of the host's threads: in calls of the CUDA API, and processor time outside of them.",
  "processor time": "Of samples: what the host's threads used of processors. A thread that sleeps uses none; one that waits by turning does.",
  calls: "Of the CUDA API, each with what it calls in turn.",
  "time in calls": "From the begin of each call of the CUDA API to its end.",
  waiting: "Implicit synchronisation: of the time in calls, until the device had done launches that were called before, where the call returned only then and is not made to synchronise.",
  "on the API": "Of launches the time on the device, where it is known, of other calls the time that they took.",
  "device time": "From the begin of each launch's first block to the end of its last one, with tracing.",
  "API importance": "Of a kind of call, its time on the API, of that of all kinds. Of a procedure, that of what it calls.",
  "CPU importance": "Of a procedure with all that it calls, its processor time less its time on the API, of the execution time; none where the API took more.",
} as const;
export type Term = keyof typeof meanings;

const shown = new Map<Term, HTMLElement>();
/** Where the explanations are; it belongs into the page. */
export const explanations = element("div");

function explanation(term: Term): HTMLElement {
  const known = shown.get(term);
  if (known) return known;
  const node = element("div", { id: `term-${term.replaceAll(" ", "-")}`, class: "facts meaning", popover: "auto", role: "note" },
    element("b", {}, term), meanings[term]);
  explanations.append(node);
  shown.set(term, node);
  return node;
}

/** `text`, which a mouse, a finger or a key asks what it means. */
export function termButton(term: Term, text: string): HTMLButtonElement {
  const meaning = explanation(term);
  const node = button(text, () => {
    const { left, bottom } = node.getBoundingClientRect();
    meaning.style.left = `${Math.max(8, Math.min(left, innerWidth - 320))}px`;
    meaning.style.top = `${Math.max(8, Math.min(bottom + 6, innerHeight - 140))}px`;
  }, { class: "term", popovertarget: meaning.id });
  return node;
}

/** Those that the page has used. */
export const termList = () =>
  element("details", { class: "terms" }, element("summary", {}, "Terms"),
    element("dl", {}, ...Object.entries(meanings).filter(([term]) => shown.has(term as Term))
      .flatMap(([term, meaning]) => [element("dt", {}, term), element("dd", {}, meaning)])));
