/// What floats beside the mouse, or whatever is asked about.
import { element } from "./dom.ts";

export function floatingTip() {
  const node = element("div", { class: "tip floating", hidden: true });
  return {
    node,
    hide: () => void (node.hidden = true),
    show(at: Pick<MouseEvent, "clientX" | "clientY">, content: Node) {
      node.replaceChildren(content);
      node.hidden = false;
      const { width, height } = node.getBoundingClientRect();
      node.style.left = `${Math.max(4, Math.min(innerWidth - width - 8, at.clientX + 14))}px`;
      node.style.top = `${at.clientY + 14 + height > innerHeight ? at.clientY - 14 - height : at.clientY + 14}px`;
    },
  };
}
