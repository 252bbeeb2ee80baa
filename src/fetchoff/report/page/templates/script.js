"use strict";
(() => {
  const views = new Map();
  const crowded = 20000; // more marks than this are painted, not kept as elements

  const specOf = (id) => JSON.parse(document.querySelector(`[data-chart="${id}"]`).textContent);

  // A canvas knows no CSS variables, so it gets the colours that they stand for now.
  const resolved = (spec) => {
    const style = getComputedStyle(document.documentElement);
    const text = JSON.stringify(spec);
    return JSON.parse(text.replace(/var\((--[a-z]+)\)/g, (_, name) => style.getPropertyValue(name).trim()));
  };

  const marks = ({ datasets }) => (datasets.batches ? datasets.batches[0].order.length : 0);

  const draw = (element) => {
    if (views.has(element.id)) return views.get(element.id);
    const spec = specOf(element.id);
    const paint = marks(spec) > crowded;
    const drawn = vegaEmbed(element, paint ? resolved(spec) : spec, {
      actions: false,
      ast: true,
      renderer: paint ? "canvas" : "svg",
      tooltip: { theme: "custom" },
    }).then((result) => {
      element.dataset.drawn = paint ? "canvas" : "svg";
      return result.view;
    });
    views.set(element.id, drawn);
    return drawn;
  };

  const charts = [...document.querySelectorAll(".chart")];
  const drawAll = () => Promise.all(charts.map(draw));
  const observer = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
      observer.unobserve(entry.target);
      draw(entry.target);
    }),
    { rootMargin: "600px" },
  );
  charts.forEach((element) => observer.observe(element));

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const element of charts.filter((chart) => chart.dataset.drawn === "canvas")) {
      views.get(element.id).then((view) => view.finalize());
      views.delete(element.id);
      draw(element);
    }
  });

  for (const group of document.querySelectorAll(".switch")) {
    group.addEventListener("click", async (event) => {
      const chosen = event.target.closest("button");
      if (!chosen) return;
      const view = await draw(document.getElementById(group.dataset.for));
      await view.signal("metric", chosen.dataset.metric).runAsync();
      for (const button of group.querySelectorAll("button")) {
        button.setAttribute("aria-pressed", String(button === chosen));
      }
    });
  }

  const compare = (a, b) => {
    const [x, y] = [Number(a), Number(b)];
    return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x === y ? 0 : x - y;
  };
  const keyOf = (cell) => (cell.dataset.key === "inf" ? "Infinity" : cell.dataset.key);

  const sort = (table, heading) => {
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

  for (const table of document.querySelectorAll("[data-sortable]")) {
    table.tHead.addEventListener("click", (event) => {
      if (event.target.closest("button")) sort(table, event.target.closest("th"));
    });
  }

  // What differences come to: days = exchanges x microseconds / 10^6 / 86,400.
  const threeDigits = new Intl.NumberFormat("en", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
  const inputs = [...document.querySelectorAll(".per-day")];
  const multiply = (exchanges) => {
    for (const shown of document.querySelectorAll(".days")) {
      if (!Number.isFinite(parseFloat(shown.dataset.us))) continue;
      const days = (exchanges * parseFloat(shown.dataset.us)) / 1e6 / 86400;
      const value = "aYear" in shown.dataset ? days * 365 : days;
      shown.textContent = threeDigits.format(value).replace("-", "−");
    }
  };
  for (const input of inputs) {
    input.addEventListener("input", () => {
      if (!(input.valueAsNumber > 0)) return;
      inputs.filter((other) => other !== input).forEach((other) => { other.value = input.value; });
      multiply(input.valueAsNumber);
    });
  }

  // A link to a folded entry unfolds it.
  const unfold = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") target.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();

  addEventListener("beforeprint", () => {
    drawAll();
    document.querySelectorAll(".explanations details").forEach((entry) => { entry.open = true; });
  });

  window.fetchoffReport = { drawAll };
})();
