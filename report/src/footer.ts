/// What stands at the end of each view.
import { element } from "./dom.ts";
import { termList } from "./terms.ts";

export const footer = () =>
  element("footer", {}, termList(),
    element("p", {}, "Volumes count bytes by threads unless a figure says distinct."),
    element("p", {}, `Made by cupranalyze. The page contains ${__LIBRARIES__.join(", ")}; nothing is loaded from the network.`));
