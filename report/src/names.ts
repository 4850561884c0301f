/// Names of functions: short, with the full one at hand.
import { button, element } from "./dom.ts";
import { shortName } from "./format.ts";

const longest = 48;

/** The short name; a press shows the full one in its place, and the short one again. */
export function functionName(full: string): HTMLElement {
  const name = shortName(full), short = name.length > longest ? `${name.slice(0, longest - 1)}…` : name;
  if (short === full) return element("code", {}, full);
  const node = button(short, () => {
    const opens = node.getAttribute("aria-expanded") === "false";
    node.setAttribute("aria-expanded", String(opens));
    node.textContent = opens ? full : short;
  }, { class: "name", title: full, "aria-expanded": "false" });
  return node;
}

const folded = [
  ["[recursion]", "Functions that call each other in a cycle, in one frame: it was entered here, and went round any number of times, also none"],
  ["[indirect]", "A call through a pointer: nobody knows from where"],
  ["[merged]", "Callers further out are not told apart, since they are too many"],
] as const;

/** What a frame of the device's call paths stands for that is no call of one function by another; undefined: it is one. */
export const foldedCalls = (name: string): string | undefined => folded.find(([begin]) => name.startsWith(begin))?.[1];
