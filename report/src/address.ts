/// What the address's fragment names: a place in the page, and of a page of several traces the one that is open. `#overview`, `#trace-3`,
/// `#trace-3/line-0-31`: so a link to a line leads to the line of that trace.

export interface Address {
  /** Null: none is open, or there is one only. */
  trace: number | null;
  /** Of the element; empty: none is named. */
  id: string;
}

export function address(): Address {
  const text = decodeURIComponent(location.hash.slice(1));
  const [, trace, id] = /^trace-(\d+)(?:\/(.*))?$/s.exec(text) ?? [];
  return trace === undefined ? { trace: null, id: text } : { trace: Number(trace), id: id ?? "" };
}

let open: number | null = null;

/** Of which trace the links are that are made from now on. */
export function openTrace(trace: number | null) {
  open = trace;
}

export const traceFragment = (trace: number | null) => (trace === null ? "#" : `#trace-${trace}`);

/** The way to an element of the page that is open. */
export const fragment = (id: string) => (open === null ? `#${id}` : `${traceFragment(open)}/${id}`);
