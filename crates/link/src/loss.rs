//! Random loss: which packets are lost.

use crate::profile::{Bursts, Loss};
use crate::random::Random;

/// Decides packet by packet. The decision depends only on the seed and on the packet's number.
#[derive(Clone, Debug)]
pub struct LossProcess {
    model: Option<Loss>,
    in_burst: bool,
    random: Random,
}

impl LossProcess {
    /// Starts with packet number 0.
    pub fn new(model: Option<Loss>, random: Random) -> Self {
        Self { model, in_burst: false, random }
    }

    /// Whether the next packet is lost.
    pub fn next_is_lost(&mut self) -> bool {
        match self.model {
            None => false,
            Some(Loss::Independent(probability)) => self.random.fraction() < probability,
            Some(Loss::Bursts(bursts)) => self.step(bursts),
        }
    }

    /// Draws two numbers for each packet, whatever the state, so that packet numbers and random
    /// numbers stay aligned.
    fn step(&mut self, bursts: Bursts) -> bool {
        let (turn, chance) = (self.random.fraction(), self.random.fraction());
        self.in_burst = if self.in_burst { turn >= bursts.end } else { turn < bursts.begin };
        chance < if self.in_burst { bursts.within } else { bursts.outside }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKETS: u32 = 200_000;

    fn pattern(model: Loss, seed: u64) -> Vec<bool> {
        let mut process = LossProcess::new(Some(model), Random::new(seed, 0));
        (0..PACKETS).map(|_| process.next_is_lost()).collect()
    }

    fn count(pattern: &[bool]) -> f64 {
        f64::from(u32::try_from(pattern.iter().filter(|lost| **lost).count()).unwrap())
    }

    #[test]
    fn independent_loss_is_within_its_binomial_interval() {
        for (seed, probability) in [(1, 0.01), (2, 0.001), (3, 0.2), (4, 0.5)] {
            let lost = count(&pattern(Loss::Independent(probability), seed));
            let mean = f64::from(PACKETS) * probability;
            // 4.4 standard deviations: one false alarm in 100,000.
            let allowed = 4.4 * (mean * (1.0 - probability)).sqrt();
            assert!((lost - mean).abs() < allowed, "{lost} of {mean} ± {allowed}");
        }
    }

    #[test]
    fn the_ends_are_exact() {
        assert!(!pattern(Loss::Independent(0.0), 5).contains(&true));
        assert!(!pattern(Loss::Independent(1.0), 5).contains(&false));
    }

    #[test]
    fn a_seed_is_a_pattern() {
        let bursts = Loss::Bursts(Bursts { begin: 0.01, end: 0.3, within: 0.9, outside: 0.001 });
        for model in [Loss::Independent(0.05), bursts] {
            assert_eq!(pattern(model, 6), pattern(model, 6));
            assert_ne!(pattern(model, 6), pattern(model, 7));
        }
    }

    #[test]
    fn bursts_are_as_frequent_and_as_long_as_asked() {
        let bursts = Bursts { begin: 0.01, end: 0.25, within: 1.0, outside: 0.0 };
        let pattern = pattern(Loss::Bursts(bursts), 8);
        let lost = count(&pattern) / f64::from(PACKETS);
        // The chain's stationary share of bursts; 0.003 is more than 4 of its standard deviations.
        let expected = bursts.begin / (bursts.begin + bursts.end);
        assert!((lost - expected).abs() < 0.003, "{lost} of {expected}");
        let begun = pattern.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        let length = count(&pattern) / f64::from(u32::try_from(begun).unwrap());
        assert!((length - 4.0).abs() < 0.35, "{length}");
    }
}
