// Guesses the character set from the whole content where none is named, by the probability of each
// pair of bytes in each of several sets, as detectors do.

import { Raw, serveRaw } from "./raw.mjs";

const SETS = 12;
const SCORES = Float32Array.from({ length: SETS * 65_536 }, (_, pair) => (pair % 251) / 251);

class CharsetSniffed extends Raw {
  async after(data, contentType) {
    if (!contentType.includes("charset")) likeliest(data);
  }
}

function likeliest(data) {
  let best = 0;
  let most = -Infinity;
  for (let set = 0; set < SETS; set += 1) {
    let score = 0;
    for (let place = 1; place < data.length; place += 1) {
      score += SCORES[set * 65_536 + 256 * data[place - 1] + data[place]];
    }
    if (score > most) [best, most] = [set, score];
  }
  return best;
}

serveRaw(CharsetSniffed);
