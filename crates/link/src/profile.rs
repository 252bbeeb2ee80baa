//! The settings of one direction of a link: as a user writes them, and as they are computed with.

use std::fmt;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

/// The longest delay, and the widest jitter.
const LONGEST_MS: f64 = 60_000.0;
const FASTEST_MBIT_S: f64 = 100_000.0;
const NS_PER_MS: f64 = 1e6;
const BITS_PER_MBIT: f64 = 1e6;

/// The default size of a queue, as time at its rate. The buffers of access links are of this order.
const DEFAULT_QUEUE_S: f64 = 0.1;
/// The default is never smaller than this: a sender's initial window and some more.
const SMALLEST_DEFAULT_QUEUE_BYTES: u64 = 32 * 1500;

/// One direction as a user writes it. What is left out is not emulated.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// One-way delay after the queue.
    pub delay_ms: f64,
    /// Each packet's delay is uniform in `delay_ms` ± `jitter_ms`, but no packet overtakes another.
    pub jitter_ms: f64,
    /// Rate of IP packets.
    pub rate_mbit_s: Option<f64>,
    /// The size of the queue before the rate limit; 100 ms of the rate if not given.
    pub queue: Option<Limit>,
    /// Packets that are lost before they reach the queue.
    pub loss: Option<Loss>,
    /// The seed of loss and jitter: with the same seed, the same packets by number are lost.
    pub seed: u64,
}

/// The most that a queue holds, the packet that is being sent included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// In bytes of IP packets.
    Bytes(u64),
    /// In packets.
    Packets(u64),
}

/// How packets are lost.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Loss {
    /// Each packet independently, with this probability.
    Independent(f64),
    /// In bursts.
    Bursts(Bursts),
}

/// The chain of Gilbert (1960) and Elliott (1963): two states, each with a probability of loss.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Bursts {
    /// Probability that a burst begins with a packet.
    pub begin: f64,
    /// Probability that it ends with a packet; its mean length is the inverse.
    pub end: f64,
    /// Probability of loss within a burst.
    #[serde(default = "certain")]
    pub within: f64,
    /// Probability of loss outside.
    #[serde(default)]
    pub outside: f64,
}

fn certain() -> f64 {
    1.0
}

/// The reason for which a profile is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(String);

impl fmt::Display for Invalid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Invalid {}

/// One direction, checked, in the units in which it is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// One-way delay.
    pub delay_ns: u64,
    /// Half the width of the delay's distribution.
    pub jitter_ns: u64,
    /// The bottleneck, if there is one.
    pub bottleneck: Option<Bottleneck>,
    /// How packets are lost.
    pub loss: Option<Loss>,
    /// The seed of loss and jitter.
    pub seed: u64,
}

/// A rate limit and the queue before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bottleneck {
    /// The rate.
    pub rate_bit_s: NonZeroU64,
    /// The size of the queue.
    pub queue: Limit,
}

impl Profile {
    /// Checks every value, and converts the units.
    pub fn parameters(&self) -> Result<Parameters, Invalid> {
        within("delay_ms", self.delay_ms, LONGEST_MS)?;
        within("jitter_ms", self.jitter_ms, LONGEST_MS)?;
        if self.jitter_ms > self.delay_ms {
            return Err(Invalid(format!(
                "jitter_ms is {}, more than delay_ms: a packet would arrive before it was sent",
                self.jitter_ms
            )));
        }
        if let Some(loss) = &self.loss {
            loss.check()?;
        }
        Ok(Parameters {
            delay_ns: as_ns(self.delay_ms),
            jitter_ns: as_ns(self.jitter_ms),
            bottleneck: self.bottleneck()?,
            loss: self.loss,
            seed: self.seed,
        })
    }

    fn bottleneck(&self) -> Result<Option<Bottleneck>, Invalid> {
        let Some(rate) = self.rate_mbit_s else {
            return match self.queue {
                None => Ok(None),
                Some(_) => Err(Invalid(
                    "queue needs rate_mbit_s: nothing waits for a link without a rate".to_owned(),
                )),
            };
        };
        within("rate_mbit_s", rate, FASTEST_MBIT_S)?;
        let rate_bit_s = NonZeroU64::new(rounded(rate * BITS_PER_MBIT)).ok_or_else(|| {
            Invalid(format!("rate_mbit_s is {rate}; to send nothing at all, ask for a black hole"))
        })?;
        let queue = self.queue.unwrap_or_else(|| default_queue(rate_bit_s));
        match queue {
            Limit::Bytes(0) | Limit::Packets(0) => {
                Err(Invalid("queue is 0: it must hold the packet that is being sent".to_owned()))
            }
            Limit::Bytes(_) | Limit::Packets(_) => Ok(Some(Bottleneck { rate_bit_s, queue })),
        }
    }
}

impl Parameters {
    /// Whether the size of packets matters, so that none may be larger than the MTU.
    ///
    /// Without rate, loss and jitter there is only the delay, and the kernel's large segments
    /// (segmentation offload) may cross undivided.
    pub fn counts_packets(&self) -> bool {
        self.bottleneck.is_some() || self.loss.is_some() || self.jitter_ns > 0
    }
}

impl Loss {
    fn check(&self) -> Result<(), Invalid> {
        match self {
            Self::Independent(probability) => within("loss.independent", *probability, 1.0),
            Self::Bursts(bursts) => {
                within("loss.bursts.begin", bursts.begin, 1.0)?;
                within("loss.bursts.end", bursts.end, 1.0)?;
                within("loss.bursts.within", bursts.within, 1.0)?;
                within("loss.bursts.outside", bursts.outside, 1.0)
            }
        }
    }
}

fn default_queue(rate_bit_s: NonZeroU64) -> Limit {
    #[allow(clippy::cast_precision_loss, reason = "rates are far below 2^52")]
    let bytes = rounded(rate_bit_s.get() as f64 / 8.0 * DEFAULT_QUEUE_S);
    Limit::Bytes(bytes.max(SMALLEST_DEFAULT_QUEUE_BYTES))
}

fn within(name: &str, value: f64, most: f64) -> Result<(), Invalid> {
    if (0.0..=most).contains(&value) {
        return Ok(());
    }
    Err(Invalid(format!("{name} is {value}; it must be between 0 and {most}")))
}

fn as_ns(milliseconds: f64) -> u64 {
    rounded(milliseconds * NS_PER_MS)
}

#[allow(clippy::cast_sign_loss, reason = "checked by `within`")]
fn rounded(value: f64) -> u64 {
    value.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(json: &str) -> Result<Parameters, String> {
        let profile: Profile = serde_json::from_str(json).map_err(|error| error.to_string())?;
        profile.parameters().map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_asked_is_nothing_done() {
        let parameters = parsed("{}").unwrap();
        assert_eq!(
            (parameters.delay_ns, parameters.jitter_ns, parameters.bottleneck),
            (0, 0, None)
        );
        assert!(!parameters.counts_packets());
    }

    #[test]
    fn units_are_converted() {
        let parameters = parsed(
            r#"{"delay_ms":45.5,"jitter_ms":0.25,"rate_mbit_s":1.5,"queue":{"packets":9},
                "loss":{"bursts":{"begin":0.01,"end":0.5}},"seed":7}"#,
        )
        .unwrap();
        assert_eq!(
            (parameters.delay_ns, parameters.jitter_ns, parameters.seed),
            (45_500_000, 250_000, 7)
        );
        let bottleneck = parameters.bottleneck.unwrap();
        assert_eq!((bottleneck.rate_bit_s.get(), bottleneck.queue), (1_500_000, Limit::Packets(9)));
        let bursts = Bursts { begin: 0.01, end: 0.5, within: 1.0, outside: 0.0 };
        assert_eq!(parameters.loss, Some(Loss::Bursts(bursts)));
    }

    #[test]
    fn a_queue_is_100_ms_of_its_rate_unless_that_is_too_little() {
        let queue = |json| parsed(json).unwrap().bottleneck.unwrap().queue;
        assert_eq!(queue(r#"{"rate_mbit_s":100}"#), Limit::Bytes(1_250_000));
        assert_eq!(queue(r#"{"rate_mbit_s":0.1}"#), Limit::Bytes(48_000));
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (json, said) in [
            (r#"{"delay_ms":-1}"#, "delay_ms is -1; it must be between 0 and 60000"),
            (r#"{"delay_ms":1,"jitter_ms":2}"#, "jitter_ms is 2, more than delay_ms"),
            (r#"{"rate_mbit_s":0}"#, "ask for a black hole"),
            (r#"{"queue":{"bytes":1}}"#, "queue needs rate_mbit_s"),
            (r#"{"rate_mbit_s":1,"queue":{"bytes":0}}"#, "queue is 0"),
            (r#"{"loss":{"independent":1.5}}"#, "loss.independent is 1.5"),
            (r#"{"loss":{"bursts":{"begin":2,"end":0.1}}}"#, "loss.bursts.begin is 2"),
            (r#"{"delay":1}"#, "unknown field `delay`"),
        ] {
            let error = parsed(json).unwrap_err();
            assert!(error.contains(said), "{json}: {error}");
        }
    }
}
