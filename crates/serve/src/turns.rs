//! Turns, given one after the other to the processes behind the gates.

use std::rc::Rc;
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::time::sleep;

use crate::gate::{Gate, Length, Turn, nanoseconds};

/// How turns are given.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// How long a client may take for what should be a turn, its coming included.
    pub patience: Duration,
    /// After so much work everybody rests: real-time priority may not be used all the time.
    pub work: Duration,
    /// For how long.
    pub rest: Duration,
}

/// A turn, and whose it was: `[ledger, exchanges, wall, cpu, origin, others, lead exchanges, lead wall,
/// lead cpu, held cpu]`, times in nanoseconds.
pub type Given = (u64, u64, u64, u64, u64, u64, u64, u64, u64, u64);

/// What became of an order of turns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Turns {
    /// Every turn that came to its end.
    pub turns: Vec<Given>,
    /// Who let a turn pass, or was not held at all: its requests are held no more.
    pub lost: Vec<u64>,
    /// Who has no turn left.
    pub exhausted: Vec<u64>,
    /// All turns that came to their end, and the waiting for them, in nanoseconds.
    pub wall_ns: u64,
    /// How long everybody rested, and who was lost was waited for, in nanoseconds.
    pub rest_ns: u64,
}

/// Gives turns in that order; whoever lets one pass, or is not held, gets no other.
pub async fn give(order: &[(u64, Rc<Gate>, Length)], manner: Manner) -> Turns {
    let mut found = Turns::default();
    let mut worked = Duration::ZERO;
    for (ledger, gate, length) in order {
        if found.lost.contains(ledger) || found.exhausted.contains(ledger) {
            continue;
        }
        if gate.is_open() {
            found.lost.push(*ledger);
            continue;
        }
        if worked >= manner.work && !manner.rest.is_zero() {
            let began = Instant::now();
            sleep(manner.rest).await;
            found.rest_ns += nanoseconds(began.elapsed());
            worked = Duration::ZERO;
        }
        let began = Instant::now();
        if gate.waited_at(manner.patience).await {
            if gate.is_exhausted() {
                found.exhausted.push(*ledger);
                continue;
            }
            let patience = manner.patience.saturating_sub(began.elapsed());
            match gate.take_turn(*length, patience).await {
                Some(turn) => found.turns.push(given(*ledger, turn)),
                None => lose(&mut found, *ledger, gate),
            }
        } else {
            lose(&mut found, *ledger, gate);
        }
        let took = began.elapsed();
        worked += took;
        if found.lost.contains(ledger) {
            found.rest_ns += nanoseconds(took);
        } else {
            found.wall_ns += nanoseconds(took);
        }
    }
    found
}

fn lose(found: &mut Turns, ledger: u64, gate: &Rc<Gate>) {
    gate.open();
    found.lost.push(ledger);
}

fn given(ledger: u64, turn: Turn) -> Given {
    (
        ledger,
        turn.exchanges,
        turn.wall_ns,
        turn.cpu_ns,
        turn.origin_ns,
        turn.others_ns,
        turn.lead_exchanges,
        turn.lead_wall_ns,
        turn.lead_cpu_ns,
        turn.held_cpu_ns,
    )
}
