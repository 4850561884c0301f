/// Builds elements. Text is always set as text: names come from programs, and no name becomes markup.

export type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined>;

const svgNamespace = "http://www.w3.org/2000/svg";

function fill<E extends Element>(node: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : String(value));
  node.append(...present(children));
  return node;
}

export const present = (children: Child[]) =>
  children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false);

export function element<T extends keyof HTMLElementTagNameMap>(
  tag: T, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[T] {
  return fill(document.createElement(tag), attributes, children);
}

/** A drawing from one path in a box of 24 x 24; for the eye only. */
export function icon(path: string): SVGSVGElement {
  const line = document.createElementNS(svgNamespace, "path");
  line.setAttribute("d", path);
  return fill(document.createElementNS(svgNamespace, "svg"), { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, [line]);
}

export function button(label: string, onClick: () => void, attributes: Attributes = {}, ...children: Child[]): HTMLButtonElement {
  const node = element("button", { type: "button", ...attributes }, ...(children.length ? children : [label]));
  if (children.length) {
    node.setAttribute("aria-label", label);
    node.title = label;
  }
  node.addEventListener("click", onClick);
  return node;
}

/** A labelled list of choices; `onChange` gets the index of the one that was taken. */
export function choice(label: string, options: string[], onChange: (index: number) => void): HTMLLabelElement {
  const list = element("select", {}, ...options.map((o, i) => element("option", { value: i }, o)));
  list.addEventListener("change", () => onChange(list.selectedIndex));
  return element("label", { class: "choice" }, element("span", {}, label), list);
}

/** A small table of names and values, as tooltips show it. */
export function facts(title: string, rows: [string, string, string?][]): HTMLElement {
  return element("div", { class: "facts" },
    element("b", {}, title),
    ...rows.map(([name, value, colour]) =>
      element("div", {},
        element("span", {}, colour ? element("i", { style: `background:${colour}` }) : null, name),
        element("span", { class: "value" }, value))));
}
