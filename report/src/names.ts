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
