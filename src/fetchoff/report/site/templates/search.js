"use strict";

// Looks for all words that are typed. Titles count before other words.
(() => {
  const MOST = 100;
  const box = document.getElementById("find");
  const list = document.getElementById("found");
  const count = document.getElementById("count");
  const entries = window.fetchoffIndex.map(([kind, title, address, words]) => ({
    kind,
    title,
    address,
    name: title.toLowerCase(),
    text: `${kind} ${title} ${words}`.toLowerCase(),
  }));

  const has = (text, words) => words.every((word) => text.includes(word));

  function matches(words) {
    if (!words.length) return [];
    const found = entries.filter((entry) => has(entry.text, words));
    const rank = (entry) => (entry.name === words.join(" ") ? 0 : has(entry.name, words) ? 1 : 2);
    return found.sort((one, other) => rank(one) - rank(other));
  }

  function line(entry) {
    const link = document.createElement("a");
    link.href = entry.address;
    link.textContent = entry.title;
    const kind = document.createElement("small");
    kind.textContent = ` ${entry.kind}`;
    const item = document.createElement("li");
    item.append(link, kind);
    return item;
  }

  function show() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = matches(words);
    list.replaceChildren(...found.slice(0, MOST).map(line));
    const shown = found.length > MOST ? `, the first ${MOST} of them` : "";
    count.textContent = words.length
      ? `${found.length} ${found.length === 1 ? "page" : "pages"}${shown}`
      : "Type above: a client, a workload, a link, a claim, a finding, a run.";
  }

  box.value = new URLSearchParams(location.search).get("q") ?? "";
  box.addEventListener("input", show);
  box.focus();
  show();
})();
