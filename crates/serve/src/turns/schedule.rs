//! The schedule: turns are given to clients one after the other, in a given order.

use std::rc::Rc;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::turns::gate::{Gate, Length, Turn, nanoseconds};

/// A turn and the ledger that had it: `[ledger, exchanges, wall, cpu, origin, others, lead
/// exchanges, lead wall, lead cpu, first cpu, held cpu, probe]`, times in nanoseconds, that of a probe
/// in picoseconds.
pub type TurnRow = [u64; 12];

/// The outcome of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Turns {
    /// All turns that came to their end.
    pub turns: Vec<TurnRow>,
    /// Ledgers that let a turn pass, or were not held at all. Those that were held still are: a
    /// client that goes on late would work in the turns of others.
    pub lost: Vec<u64>,
    /// Ledgers that have no turn left.
    pub exhausted: Vec<u64>,
    /// Wall time of all turns that came to their end, waiting included, in nanoseconds.
    pub wall_ns: u64,
    /// Time spent waiting for lost ledgers, in nanoseconds; not part of `wall_ns`.
    pub lost_ns: u64,
}

/// Gives turns in that order. A ledger that lets one pass, or is not held, gets no other.
/// `patience` bounds each turn, the waiting for the client included.
pub async fn run(order: &[(u64, Rc<Gate>, Length)], patience: Duration) -> Turns {
    let mut found = Turns::default();
    for (ledger, gate, length) in order {
        if found.lost.contains(ledger) || found.exhausted.contains(ledger) {
            continue;
        }
        if gate.is_open() {
            found.lost.push(*ledger);
            continue;
        }
        let began = Instant::now();
        if gate.wait_for_request(patience).await {
            if gate.is_exhausted() {
                found.exhausted.push(*ledger);
                continue;
            }
            let left = patience.saturating_sub(began.elapsed());
            match gate.take_turn(*length, left).await {
                Some(turn) => found.turns.push(row(*ledger, turn)),
                None => drop_out(&mut found, *ledger, gate),
            }
        } else {
            drop_out(&mut found, *ledger, gate);
        }
        let took = nanoseconds(began.elapsed());
        if found.lost.contains(ledger) {
            found.lost_ns += took;
        } else {
            found.wall_ns += took;
        }
    }
    found
}

fn drop_out(found: &mut Turns, ledger: u64, gate: &Rc<Gate>) {
    gate.close_again();
    found.lost.push(ledger);
}

fn row(ledger: u64, turn: Turn) -> TurnRow {
    [
        ledger,
        turn.exchanges,
        turn.wall_ns,
        turn.cpu_ns,
        turn.origin_ns,
        turn.others_ns,
        turn.lead_exchanges,
        turn.lead_wall_ns,
        turn.lead_cpu_ns,
        turn.first_cpu_ns,
        turn.held_cpu_ns,
        turn.probe_ps,
    ]
}
