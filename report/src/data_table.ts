/// Tables that sort by a click on a column's head. Rows beyond the first hundred come on request.
import { button, element } from "./dom.ts";
import { grouped } from "./format.ts";

export interface Column<Row> {
  title: string;
  /** What the cell shows, and by what the column sorts. */
  value: (row: Row) => string | number;
  /** How the value is written; by default numbers are grouped. */
  show?: (row: Row) => string | Node;
  hint?: string;
}

export interface TableOptions {
  caption: string;
  /** Column to sort by at first, descending. Default: the order of the rows. */
  sortBy?: number;
  class?: string;
}

const pageRows = 100;

function cell<Row>(column: Column<Row>, row: Row): HTMLTableCellElement {
  const value = column.value(row);
  const shown = column.show?.(row) ?? (typeof value === "number" ? grouped(value) : value);
  return element("td", { class: typeof value === "number" ? "number" : null }, shown);
}

function compare(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

export function dataTable<Row>(rows: readonly Row[], columns: Column<Row>[], options: TableOptions): HTMLElement {
  const body = element("tbody");
  const more = element("div", { class: "more" });
  let sorted = [...rows];
  let shown = 0;

  const showMore = () => {
    const next = sorted.slice(shown, shown + pageRows);
    body.append(...next.map((row) => element("tr", {}, ...columns.map((c) => cell(c, row)))));
    shown += next.length;
    const left = sorted.length - shown;
    more.replaceChildren(
      ...(left > 0 ? [button(`Show ${grouped(Math.min(left, pageRows))} more of ${grouped(left)}`, showMore)] : []));
  };
  const heads = columns.map((column) => {
    const numeric = rows.length > 0 && typeof column.value(rows[0]!) === "number";
    const head = element("th", { scope: "col", class: numeric ? "number" : null, title: column.hint });
    head.append(button(column.title, () => sortBy(column, head, numeric)));
    return head;
  });
  const sortBy = (column: Column<Row>, head: HTMLElement, descendingFirst: boolean) => {
    const before = head.getAttribute("aria-sort");
    const descending = before ? before === "ascending" : descendingFirst;
    heads.forEach((h) => h.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    sorted.sort((a, b) => compare(column.value(a), column.value(b)) * (descending ? -1 : 1));
    body.replaceChildren();
    shown = 0;
    showMore();
  };
  if (options.sortBy !== undefined) sortBy(columns[options.sortBy]!, heads[options.sortBy]!, true);
  else showMore();
  const table = element("table", { class: options.class }, element("caption", { class: "hidden" }, options.caption),
    element("thead", {}, element("tr", {}, ...heads)), body);
  return element("div", { class: "table", tabindex: 0, role: "group", "aria-label": options.caption }, table, more);
}
