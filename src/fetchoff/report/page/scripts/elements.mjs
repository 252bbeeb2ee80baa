// Elements with attributes and children. Text is always set as text, so no name can be markup.

export const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) made.style.setProperty(name, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
};

// A link that leaves the page, if its address is one of the web; else its text.
export const outside = (address) =>
  /^https?:\/\//.test(address) ? element("a", { href: address, rel: "noreferrer" }, address) : address;

// What is drawn again must not lose the reader's place in it: `data-focus` names it.
export const keepingFocus = (draw) => {
  const name = document.activeElement?.dataset?.focus;
  draw();
  if (!name) return;
  const again = [...document.querySelectorAll("[data-focus]")].find((one) => one.dataset.focus === name);
  if (again && again !== document.activeElement) again.focus({ preventScroll: true });
};
