// Whether two clocks leave a verdict in wall time, as analysis/clocks.py has it.

// Not where they are further apart than the two clients: the faster takes so much less.
export const isWithheld = (aspect, { clocks_apart: apart }, one, other, ratio) =>
  aspect.pairs === "wall" && one !== other && Math.max(apart[one] ?? 0, apart[other] ?? 0) > 1 - Math.min(ratio, 1 / ratio);
