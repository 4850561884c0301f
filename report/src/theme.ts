/// Light and dark. The style sheet has the colours; drawings ask here for them.
import { button, icon } from "./dom.ts";

const moon = "M20 14.5A8.5 8.5 0 1 1 9.5 4 7 7 0 0 0 20 14.5Z";
const key = "cuprewrite-theme";
const changed = new Map<Element, () => void>();
const system = matchMedia("(prefers-color-scheme: dark)");

const colourNames = [
  "paper", "card", "ink", "soft", "line", "load", "store", "atomic", "good", "cut-x", "cut-y", "cut-z", "cut-block",
  "cut-cyclic", "cut-graph", "heat-low", "heat-mid", "heat-high",
] as const;
export type Colour = (typeof colourNames)[number];

/** The value of the style sheet's colour now. */
export const colour = (name: Colour) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** `redraw` is called after each change of the theme, as long as `node` is in the page. */
export const onTheme = (node: Element, redraw: () => void) => changed.set(node, redraw);

function set(theme: string) {
  document.documentElement.dataset["theme"] = theme;
  for (const [node, redraw] of changed)
    if (node.isConnected) redraw();
    else changed.delete(node);
}

// Paper is white. Whoever else prepares for it comes later: modules that draw import this one.
let onScreen = "light";
addEventListener("beforeprint", () => {
  onScreen = document.documentElement.dataset["theme"] ?? onScreen;
  set("light");
});
addEventListener("afterprint", () => set(onScreen));

// A page from disk may be kept from storage: then the choice lasts as long as the page.
function remembered(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function remember(theme: string) {
  try {
    localStorage.setItem(key, theme);
  } catch {
    return;
  }
}

/** The switch. As long as nobody uses it, the page follows the system. */
export function themeSwitch(): HTMLButtonElement {
  const wanted = () => remembered() ?? (system.matches ? "dark" : "light");
  const node = button("Dark theme", () => {
    const next = document.documentElement.dataset["theme"] === "dark" ? "light" : "dark";
    remember(next);
    apply(next);
  }, { class: "round" }, icon(moon));
  const apply = (theme: string) => {
    set(theme);
    node.setAttribute("aria-pressed", String(theme === "dark"));
  };
  system.addEventListener("change", () => apply(wanted()));
  apply(wanted());
  return node;
}
