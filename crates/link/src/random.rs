//! Streams of random numbers that are the same in every version.

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg64;

/// 2^-53: the distance between neighbouring values in [0.5, 1).
const STEP: f64 = 1.0 / 9_007_199_254_740_992.0;

/// A seeded stream: PCG XSL 128/64 (LCG), which `rand_pcg` promises to keep reproducible.
#[derive(Clone, Debug)]
pub struct Random(Pcg64);

impl Random {
    /// Streams of the same seed with different numbers are independent.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut root = Pcg64::seed_from_u64(seed);
        root.advance(u128::from(stream));
        Self(Pcg64::seed_from_u64(root.next_u64()))
    }

    /// Uniform in [0, 1), made from the upper 53 bits.
    pub fn fraction(&mut self) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "53 bits are exact")]
        let upper = (self.0.next_u64() >> 11) as f64;
        upper * STEP
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_same_for_ever() {
        let mut random = Random::new(1, 2);
        let first: Vec<String> = (0..3).map(|_| format!("{:.6}", random.fraction())).collect();
        assert_eq!(first, ["0.131335", "0.853007", "0.583354"]);
    }

    #[test]
    fn streams_differ() {
        let first = |stream| Random::new(1, stream).fraction().to_bits();
        assert_ne!(first(1), first(2));
    }
}
