//! Windows as their senders mean them: scaled by what the two agreed on in their SYNs.

use std::collections::HashMap;
use std::net::IpAddr;

use crate::segment::{Parsed, SYN, Segment, Sender};

/// RFC 7323, section 2.3: a larger shift is taken for this one.
const LARGEST_SHIFT: u8 = 14;

/// The most connections that are remembered. More than a client can have at once to one port.
const MOST_CONNECTIONS: usize = 1 << 16;

/// A client's address and port, and the origin's port.
type Connection = (IpAddr, u16, u16);

/// What each end's SYN said; `None` before it was seen, and if it had no such option.
#[derive(Clone, Copy, Debug, Default)]
struct Agreed {
    client: Option<u8>,
    origin: Option<u8>,
}

/// The window scales of connections whose beginning was seen.
#[derive(Debug, Default)]
pub struct Windows {
    agreed: HashMap<Connection, Agreed>,
}

impl Windows {
    /// The segment with its window scaled, if its connection's SYNs were seen.
    pub fn scaled(&mut self, seen: &Parsed) -> Segment {
        let connection = (seen.client, seen.segment.port, seen.origin_port);
        if seen.segment.flags & SYN != 0 {
            self.note(connection, seen);
            return seen.segment; // the window of a SYN is never scaled (RFC 7323, section 2.2)
        }
        let shift = self.agreed.get(&connection).and_then(|of| of.shift(seen.segment.sender));
        Segment { window: seen.segment.window << shift.unwrap_or(0), ..seen.segment }
    }

    fn note(&mut self, connection: Connection, seen: &Parsed) {
        if self.agreed.len() >= MOST_CONNECTIONS {
            self.agreed.clear();
        }
        match seen.segment.sender {
            // The port may have had another connection before.
            Sender::Client => {
                self.agreed.insert(connection, Agreed { client: seen.scale, origin: None });
            }
            Sender::Origin => self.agreed.entry(connection).or_default().origin = seen.scale,
        }
    }
}

impl Agreed {
    /// Windows are scaled only if both asked for it.
    fn shift(self, sender: Sender) -> Option<u8> {
        let (client, origin) = (self.client?, self.origin?);
        let shift = if sender == Sender::Client { client } else { origin };
        Some(shift.min(LARGEST_SHIFT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACK: u8 = 16;

    fn seen(sender: Sender, flags: u8, scale: Option<u8>) -> Parsed {
        let segment = Segment {
            at_ns: 0,
            sender,
            port: 9,
            sequence: 0,
            acknowledged: 0,
            flags,
            window: 100,
            size: 0,
            to: None,
        };
        let client = IpAddr::from([127, 0, 0, 1]);
        Parsed { segment, client, origin_port: 80, scale, packet_bytes: 40 }
    }

    fn windows(client: Option<u8>, origin: Option<u8>) -> [u32; 4] {
        let mut windows = Windows::default();
        [
            seen(Sender::Client, SYN, client),
            seen(Sender::Origin, SYN | ACK, origin),
            seen(Sender::Client, ACK, None),
            seen(Sender::Origin, ACK, None),
        ]
        .map(|segment| windows.scaled(&segment).window)
    }

    #[test]
    fn each_end_has_its_own_scale_and_a_syn_has_none() {
        assert_eq!(windows(Some(7), Some(2)), [100, 100, 100 << 7, 400]);
        assert_eq!(windows(Some(200), Some(0)), [100, 100, 100 << 14, 100]);
    }

    #[test]
    fn without_the_option_of_both_nothing_is_scaled() {
        assert_eq!(windows(Some(7), None), [100; 4]);
        assert_eq!(windows(None, Some(7)), [100; 4]);
        assert_eq!(Windows::default().scaled(&seen(Sender::Client, ACK, None)).window, 100);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut windows = Windows::default();
        for number in 0..3 * MOST_CONNECTIONS as u32 {
            let mut syn = seen(Sender::Client, SYN, Some(7));
            syn.client = IpAddr::from(number.to_be_bytes());
            windows.scaled(&syn);
        }
        assert!(windows.agreed.len() <= MOST_CONNECTIONS);
    }
}
