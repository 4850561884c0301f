/// Mouse, touch and keys that move a view: drag or arrows pan; two fingers, Ctrl and wheel, or + and - zoom; 0 shows all.

/** Factors and places are fractions of what is in sight. */
export interface View {
  pan(fx: number, fy: number): void;
  zoom(factor: number, fx?: number, fy?: number): void;
  reset(): void;
}

const keys: Record<string, (view: View) => void> = {
  ArrowLeft: (v) => v.pan(-0.15, 0),
  ArrowRight: (v) => v.pan(0.15, 0),
  ArrowUp: (v) => v.pan(0, -0.15),
  ArrowDown: (v) => v.pan(0, 0.15),
  "+": (v) => v.zoom(0.5),
  "=": (v) => v.zoom(0.5),
  "-": (v) => v.zoom(2),
  "0": (v) => v.reset(),
};

/** `moved` is called after each change of what `view()` gives. */
export function moveByGestures(target: HTMLElement, view: () => View, moved: () => void) {
  const fingers = new Map<number, PointerEvent>();
  const fraction = (e: { clientX: number; clientY: number }): [number, number] => {
    const box = target.getBoundingClientRect();
    return [(e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height];
  };

  target.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    act(view());
    moved();
    event.preventDefault();
  });
  target.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    view().zoom(Math.exp(Math.sign(event.deltaY) * 0.25), ...fraction(event));
    moved();
    event.preventDefault();
  }, { passive: false });
  target.addEventListener("dblclick", (event) => {
    view().zoom(0.5, ...fraction(event));
    moved();
  });

  target.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    target.setPointerCapture(event.pointerId);
  });
  target.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const [x0, y0] = fraction(before), [x1, y1] = fraction(event);
    const other = [...fingers.values()].find((f) => f.pointerId !== event.pointerId);
    if (other) {
      const [ox, oy] = fraction(other);
      view().zoom(Math.hypot(x0 - ox, y0 - oy) / Math.max(0.02, Math.hypot(x1 - ox, y1 - oy)), (x1 + ox) / 2, (y1 + oy) / 2);
    } else view().pan(x0 - x1, y0 - y1);
    fingers.set(event.pointerId, event);
    moved();
  });
  for (const end of ["pointerup", "pointercancel"] as const)
    target.addEventListener(end, (event) => fingers.delete(event.pointerId));
}
