/// How several traces are called: by their ranks, or else by what of their paths tells them apart.
import { address, traceFragment } from "../address.ts";
import type { Traces } from "../data.ts";
import { choice } from "../dom.ts";
import { fileName } from "../format.ts";

const isDistinct = (names: readonly unknown[]) => names.every((n) => n !== null) && new Set(names).size === names.length;

export function traceLabels({ traces }: Traces): string[] {
  if (isDistinct(traces.map((t) => t.rank))) return traces.map((t) => `rank ${t.rank}`);
  const names = traces.map((t) => fileName(t.trace));
  if (isDistinct(names)) return names;
  const paths = traces.map((t) => t.trace);
  return isDistinct(paths) ? paths : paths.map((path, i) => `${i + 1}: ${path}`);
}

/** Leads from trace to trace, and back to all. */
export function traceChoice(traces: Traces, now: number | null): HTMLElement {
  const labels = traceLabels(traces);
  const node = choice("Trace", [`All ${labels.length}`, ...labels], (i) => {
    if (address().trace !== (i ? i - 1 : null)) location.hash = traceFragment(i ? i - 1 : null);
  });
  node.querySelector("select")!.selectedIndex = now === null ? 0 : now + 1;
  return node;
}
