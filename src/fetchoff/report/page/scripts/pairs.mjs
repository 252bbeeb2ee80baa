// All pairs of a ranking, as page/answer/packing.py packs them. Clients are named by their places
// in the order of the whole ranking, the cheapest is 0.

import { inflated } from "./packing.mjs";

const GRAIN = 5e-4;
const STEP = 0.1;
const NOWHERE = 255;

const isSet = (flags, place) => ((flags[place >> 3] >> (place & 7)) & 1) === 1;
const reach = (step) => (step === NOWHERE ? Infinity : GRAIN * Math.exp(STEP * step));

export class Pairs {
  constructor({ order, levels, tests }, bytes) {
    const count = (order.length * (order.length - 1)) / 2;
    const flags = Math.ceil(count / 8);
    this.order = order;
    this.tests = tests;
    this.levels = levels;
    this.shown = bytes.subarray(0, flags);
    this.equivalent = bytes.subarray(flags, 2 * flags);
    this.below = bytes.subarray(2 * flags, 2 * flags + count);
    this.above = bytes.subarray(2 * flags + count, 2 * (flags + count));
    this.grains = new DataView(bytes.buffer, bytes.byteOffset + 2 * (flags + count), 2 * count);
  }

  // Where the pair i < j stands in the sequences.
  place(i, j) {
    return i * this.order.length - (i * (i + 1)) / 2 + j - i - 1;
  }

  // Whether i < j was shown to be cheaper than j.
  isShown(i, j) {
    return isSet(this.shown, this.place(i, j));
  }

  // Whether the whole interval of i < j lies within the margin.
  isEquivalent(i, j) {
    return isSet(this.equivalent, this.place(i, j));
  }

  // log(cost of `client` / cost of `reference`), and the ends of its interval.
  difference(reference, client) {
    if (reference === client) return { point: 0, low: 0, high: 0 };
    const [i, j] = reference < client ? [reference, client] : [client, reference];
    const place = this.place(i, j);
    const found = this.levels[j] - this.levels[i] + GRAIN * this.grains.getInt16(2 * place, true);
    const below = reach(this.below[place]);
    const above = reach((this.below[place] + this.above[place]) % 256);
    return reference < client
      ? { point: found, low: found - below, high: found + above }
      : { point: -found, low: -found - above, high: -found + below };
  }
}

export const readPairs = async (packed) => new Pairs(packed, await inflated(packed.packed));
