/// What the page shows of a trace. The address keeps it, so that a link shows the same to whoever opens the same file.
import type { Trace } from "./trace.ts";

/** An access of a warp. `launch` is an index in Trace.launches. */
export interface AccessId {
  launch: number;
  chunk: number;
  index: number;
}

export interface Choice {
  block: [number | null, number | null, number | null];
  warp: number | null;
  /** Empty: all. The line is as lineName() gives it. */
  operation: string;
  space: string;
  line: string;
  site: number | null;
}

export interface State {
  /** Index in Trace.launches. */
  launch: number;
  choice: Choice;
  access: AccessId | null;
  /** The first is A. */
  pins: AccessId[];
  axis: "order" | "time";
}

export const everything: Choice = { block: [null, null, null], warp: null, operation: "", space: "", line: "", site: null };
export const mostPins = 26;
export const letterOf = (pin: number) => String.fromCharCode(65 + pin);
export const isSame = (a: AccessId, b: AccessId) => a.launch === b.launch && a.chunk === b.chunk && a.index === b.index;

const blockNames = ["x", "y", "z"] as const;

const number = (text: string | null): number | null => (text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null);

/** Launches are named by their number in the program, from 1. */
function accessIn(trace: Trace, text: string): AccessId | null {
  const [id, chunk, index] = text.split(".").map(number);
  const launch = trace.launches.findIndex((l) => l.id === id);
  return launch < 0 || chunk == null || index == null || chunk >= trace.launches[launch]!.chunks ? null : { launch, chunk, index };
}
const accessText = (trace: Trace, a: AccessId) => `${trace.launches[a.launch]!.id}.${a.chunk}.${a.index}`;

/** What of `hash` there is in the trace; the rest is as at first. */
export function stateIn(trace: Trace, hash: string): State {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const id = number(query.get("launch"));
  const named = trace.launches.findIndex((l) => l.id === id);
  const first = trace.launches.findIndex((l) => l.records > 0);
  const access = accessIn(trace, query.get("access") ?? "");
  return {
    launch: named >= 0 ? named : Math.max(first, 0),
    choice: {
      block: blockNames.map((name) => number(query.get(name))) as Choice["block"],
      warp: number(query.get("warp")), operation: query.get("op") ?? "", space: query.get("space") ?? "",
      line: query.get("line") ?? "", site: number(query.get("site")),
    },
    access,
    pins: (query.get("pins") ?? "").split(",").slice(0, mostPins).map((text) => accessIn(trace, text)).filter((a) => a !== null),
    axis: query.get("axis") === "time" ? "time" : "order",
  };
}

export function hashOf(trace: Trace, state: State): string {
  const query = new URLSearchParams();
  const put = (name: string, value: string | number | null | undefined) => {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  };
  const { choice } = state;
  put("launch", trace.launches[state.launch]?.id);
  blockNames.forEach((name, axis) => put(name, choice.block[axis]));
  put("warp", choice.warp);
  put("op", choice.operation);
  put("space", choice.space);
  put("line", choice.line);
  put("site", choice.site);
  put("access", state.access && accessText(trace, state.access));
  put("pins", state.pins.map((pin) => accessText(trace, pin)).join(","));
  put("axis", state.axis === "time" ? "time" : "");
  return query.toString();
}
