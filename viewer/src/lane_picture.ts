/// A lane mask in a list: a stroke for each lane, stronger where it is active.
import { laneCount } from "./trace.ts";

const svgNamespace = "http://www.w3.org/2000/svg";

export function lanePicture(mask: number): SVGSVGElement {
  const picture = document.createElementNS(svgNamespace, "svg");
  const active = Array.from({ length: laneCount }, (_, lane) => (mask >>> lane) & 1);
  const count = active.reduce((a, b) => a + b, 0);
  Object.entries({ class: "mask", viewBox: `0 0 ${laneCount * 3} 12`, role: "img", "aria-label": `${count} of ${laneCount} lanes` })
    .forEach(([name, value]) => picture.setAttribute(name, value));
  for (const [part, name] of [[1, "on"], [0, "off"]] as const) {
    const path = document.createElementNS(svgNamespace, "path");
    path.setAttribute("class", name);
    path.setAttribute("d", active.map((is, lane) => (is === part ? `M${lane * 3} 0h2v12h-2z` : "")).join(""));
    picture.append(path);
  }
  return picture;
}
