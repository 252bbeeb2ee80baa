// Numbers as readers see them: no digit that the interval leaves no meaning.

const TELLING = 1000; // from the lower end of an interval to the upper: a wider one tells nothing

export const isTelling = (low, high) => Number.isFinite(high) && low > 0 && high <= TELLING * low;

const written = (value, digits) => {
  const rounded = digits < 0 ? Math.round(value * 10 ** digits) / 10 ** digits : value;
  return rounded.toLocaleString("en", {
    minimumFractionDigits: Math.max(digits, 0),
    maximumFractionDigits: Math.max(digits, 0),
  });
};

const MOST_DIGITS = 4;
const SMALL = 5; // below it, a whole number would be too rough for an end: 1.6 is not 2
const FINE = 0.1; // a ratio below it has two significant digits

// The decimal in which the first digit stands: 0 of 6.2, 3 of 0.0042, -1 of 35.
const firstPlace = (value) => -Math.floor(Math.log10(value));

// So many that the lower end keeps its first digit, and a small ratio between them two.
const leastDigits = (low, high) => {
  const between = Math.sqrt(low * high);
  return between < FINE ? Math.max(firstPlace(low), firstPlace(between) + 1) : firstPlace(low);
};

// As many as the interval leaves a meaning, and so many that no end is written as 1 that is not 1, or as 0.
const digitsFor = (low, high) => {
  const half = (high - low) / 2;
  let digits = half > 0 ? Math.min(Math.ceil(-Math.log10(half)), 3) : 0;
  if (half > 0 && low < SMALL) digits = Math.max(digits, 1);
  const isOne = (end) => end !== 1 && Number(end.toFixed(Math.max(digits, 0))) === 1;
  while (digits < MOST_DIGITS && (isOne(low) || isOne(high))) digits = Math.max(digits, 0) + 1;
  return Math.max(digits, leastDigits(low, high));
};

// `2.4`; "" if its interval tells nothing.
export const ratioText = (ratio, low, high) =>
  isTelling(low, high) ? written(ratio, digitsFor(low, high)) : "";

// `1.9–3.1`.
export const intervalText = (low, high) => {
  if (!isTelling(low, high)) return "";
  const digits = digitsFor(low, high);
  return `${written(low, digits)}–${written(high, digits)}`;
};

// A ratio that nobody tested: two digits.
export const roughText = (ratio) =>
  Number.isFinite(ratio) ? written(ratio, Math.max(0, 1 - Math.floor(Math.log10(ratio)))) : "";

export const tierText = ([best, worst]) => (best === worst ? `${best}` : `${best}–${worst}`);

export const counted = (many, thing) => `${many.toLocaleString("en")} ${thing}${many === 1 ? "" : "s"}`;

// `a`, `b` and `c`; of a long list the first ones. Items are kept as they are, words stand between.
export const listed = (items, most = 4) => {
  const told = items.length > most ? items.slice(0, most - 1) : items;
  const more = items.length - told.length;
  const all = more > 0 ? [...told, `${more} more`] : told;
  return all.flatMap((item, place) => {
    if (place === 0) return [item];
    return [place === all.length - 1 ? " and " : ", ", item];
  });
};
