/// What floats beside the mouse.
import { element } from "./dom.ts";

export function floatingTip() {
  const node = element("div", { class: "tip floating", hidden: true });
  return {
    node,
    hide: () => void (node.hidden = true),
    show(event: MouseEvent, content: Node) {
      node.replaceChildren(content);
      node.hidden = false;
      const { width, height } = node.getBoundingClientRect();
      node.style.left = `${Math.max(4, Math.min(innerWidth - width - 8, event.clientX + 14))}px`;
      node.style.top = `${event.clientY + 14 + height > innerHeight ? event.clientY - 14 - height : event.clientY + 14}px`;
    },
  };
}
