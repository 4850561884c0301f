/// The page's first link, for who goes by keyboard: to the figures, past what stands above them.
import { element } from "./dom.ts";

/// The address stays as it is: it says which trace is open.
export function skipLink(): HTMLAnchorElement {
  const link = element("a", { class: "skip", href: "#main" }, "To the figures");
  link.addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main")?.focus();
  });
  return link;
}
