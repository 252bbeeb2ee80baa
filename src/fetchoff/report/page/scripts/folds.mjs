// Parts of the page that are folded, and parts that are packed until somebody opens them.

import { inflatedText } from "./packing.mjs";

const opened = [];

// What is to be done with a part once it is in the page: charts wait to be seen, tables to be sorted.
export const whenUnpacked = (act) => opened.push(act);

const unpack = async (part) => {
  const packed = part.querySelector(":scope script.packed");
  if (!packed) return;
  packed.classList.remove("packed");
  const template = document.createElement("template");
  template.innerHTML = await inflatedText(packed.textContent);
  packed.replaceWith(template.content);
  opened.forEach((act) => act(part));
};

const running = new WeakMap();

// Waits for an unpacking that has begun.
export const unpacked = (part) => {
  if (!running.has(part)) running.set(part, unpack(part));
  return running.get(part);
};

const unfold = async (part) => {
  part.open = true;
  await unpacked(part);
};

export const unfoldAll = () => Promise.all([...document.querySelectorAll("main details.fold")].map(unfold));

// The element with this id, though it may still be packed.
const find = async (id) => {
  const found = document.getElementById(id);
  if (found) return found;
  for (const part of document.querySelectorAll("details.fold")) {
    await unpacked(part);
    const now = document.getElementById(id);
    if (now) return now;
  }
  return null;
};

// The foldable parts that an element stands in.
const around = (target) => {
  const part = target.parentElement?.closest("details");
  return part ? [part, ...around(part)] : [];
};

// A link to something folded unfolds it.
export const reveal = async (id) => {
  const target = id && (await find(id));
  if (!target) return;
  const own = target.matches("details") ? target : target.querySelector(":scope > details.fold");
  if (own) await unfold(own);
  for (const part of around(target)) await unfold(part);
  target.scrollIntoView();
};

export const watchFolds = () => {
  for (const part of document.querySelectorAll("details.fold")) {
    part.addEventListener("toggle", () => part.open && unpacked(part));
  }
};
