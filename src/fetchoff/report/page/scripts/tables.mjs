// Tables that a click on a heading sorts.

const compare = (a, b) => {
  const [x, y] = [Number(a), Number(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x === y ? 0 : x - y;
};

const keyOf = (cell) => (cell.dataset.key === "inf" ? "Infinity" : cell.dataset.key);

const sortBy = (table, heading) => {
  const column = [...heading.parentElement.children].indexOf(heading);
  const first = heading.querySelector("button").dataset.first;
  const other = first === "ascending" ? "descending" : "ascending";
  const order = heading.getAttribute("aria-sort") === first ? other : first;
  heading.parentElement.querySelectorAll("[aria-sort]").forEach((th) => th.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  for (const body of table.tBodies) {
    const rows = [...body.rows];
    rows.sort((a, b) => sign * compare(keyOf(a.cells[column]), keyOf(b.cells[column])));
    body.append(...rows);
  }
};

export const watchTables = (part) => {
  for (const table of part.querySelectorAll("[data-sortable]")) {
    table.tHead.addEventListener("click", (event) => {
      if (event.target.closest("button")) sortBy(table, event.target.closest("th"));
    });
  }
};
