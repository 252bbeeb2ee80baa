//! A TCP segment out of a packet, which may be cut after its headers.

use std::net::IpAddr;

use etherparse::{LaxNetSlice, LaxSlicedPacket, TcpOptionElement, TcpSlice, TransportSlice};
use serde::Serialize;

/// Who sent a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sender {
    /// The end whose port was not asked for.
    Client,
    /// The end whose port was asked for.
    Origin,
}

/// What the harness is told of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Segment {
    /// When the kernel saw it, in nanoseconds of `CLOCK_REALTIME`.
    pub at_ns: u64,
    /// Who sent it.
    pub sender: Sender,
    /// The client's port.
    pub port: u16,
    /// The number of its first byte, as on the wire.
    pub sequence: u32,
    /// The number of the byte that its sender expects next, as on the wire.
    pub acknowledged: u32,
    /// The flags' octet of the header (RFC 9293, section 3.1).
    pub flags: u8,
    /// How much its sender takes, scaled where the handshake was seen.
    pub window: u32,
    /// The bytes of data that it carries.
    pub size: u32,
    /// Where a SYN of the client goes to: an attempt may go to an address that doesn't answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<IpAddr>,
}

pub const SYN: u8 = 2;
const FLAGS_OCTET: usize = 13;

/// A segment as it came, and what else its packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// With the window as it was sent.
    pub segment: Segment,
    /// The client's address.
    pub client: IpAddr,
    /// The origin's port.
    pub origin_port: u16,
    /// The window scale option, which only a SYN has (RFC 7323, section 2.2).
    pub scale: Option<u8>,
    /// The bytes of the whole packet, however many of them were given.
    pub packet_bytes: u32,
}

/// What a packet says, which begins with the header of IP. `None` if it isn't a segment of these
/// ports.
pub fn parse(packet: &[u8], at_ns: u64, ports: &[u16]) -> Option<Parsed> {
    let sliced = LaxSlicedPacket::from_ip(packet).ok()?;
    let Some(TransportSlice::Tcp(tcp)) = sliced.transport else { return None };
    let (from, to, packet_bytes) = match sliced.net? {
        LaxNetSlice::Ipv4(ip) => {
            let header = ip.header();
            let ends = (IpAddr::V4(header.source_addr()), IpAddr::V4(header.destination_addr()));
            (ends.0, ends.1, u32::from(header.total_len()))
        }
        LaxNetSlice::Ipv6(ip) => {
            let header = ip.header();
            let ends = (IpAddr::V6(header.source_addr()), IpAddr::V6(header.destination_addr()));
            let bytes = header.slice().len() as u32 + u32::from(header.payload_length());
            (ends.0, ends.1, bytes)
        }
        LaxNetSlice::Arp(_) => return None,
    };
    // To the origin first: a client that listens may have one of its ports by chance.
    let (sender, client, port, origin_port) = if ports.contains(&tcp.destination_port()) {
        (Sender::Client, from, tcp.source_port(), tcp.destination_port())
    } else if ports.contains(&tcp.source_port()) {
        (Sender::Origin, to, tcp.destination_port(), tcp.source_port())
    } else {
        return None;
    };
    let headers = (tcp.slice().as_ptr() as usize - packet.as_ptr() as usize
        + tcp.header_slice().len()) as u32;
    let flags = tcp.header_slice()[FLAGS_OCTET];
    let begins = sender == Sender::Client && flags & SYN != 0;
    let segment = Segment {
        at_ns,
        sender,
        port,
        sequence: tcp.sequence_number(),
        acknowledged: tcp.acknowledgment_number(),
        flags,
        window: tcp.window_size().into(),
        size: packet_bytes.saturating_sub(headers),
        to: begins.then_some(to),
    };
    Some(Parsed { segment, client, origin_port, scale: scale_of(&tcp), packet_bytes })
}

fn scale_of(tcp: &TcpSlice<'_>) -> Option<u8> {
    tcp.options_iterator().find_map(|option| match option {
        Ok(TcpOptionElement::WindowScale(shift)) => Some(shift),
        _ => None,
    })
}

#[cfg(test)]
pub mod tests {
    use etherparse::PacketBuilder;

    use super::*;

    const PORTS: [u16; 2] = [8000, 8001];
    const CLIENT: u16 = 51_000;
    const SNAP: usize = 128;

    fn packet_over(version: u8, from: u16, to: u16, content: &[u8]) -> Vec<u8> {
        let builder = match version {
            4 => PacketBuilder::ipv4([127, 0, 0, 2], [127, 0, 0, 1], 64),
            _ => PacketBuilder::ipv6([2; 16], [1; 16], 64),
        };
        let mut packet = Vec::new();
        let options = [
            TcpOptionElement::MaximumSegmentSize(1460),
            TcpOptionElement::Timestamp(1, 2),
            TcpOptionElement::WindowScale(7),
        ];
        let tcp = builder.tcp(from, to, 4_294_967_295, 512).ack(77).psh();
        tcp.options(&options).unwrap().write(&mut packet, content).unwrap();
        packet
    }

    #[test]
    fn a_segment_is_read_also_where_only_its_headers_are_there() {
        for version in [4, 6] {
            let whole = packet_over(version, CLIENT, 8001, &[1; 1000]);
            let cut = parse(&whole[..SNAP], 5, &PORTS).unwrap();
            assert_eq!(Some(cut), parse(&whole, 5, &PORTS));
            assert_eq!(
                cut.segment,
                Segment {
                    at_ns: 5,
                    sender: Sender::Client,
                    port: CLIENT,
                    sequence: 4_294_967_295,
                    acknowledged: 77,
                    flags: 0b1_1000,
                    window: 512,
                    size: 1000,
                    to: None,
                }
            );
            assert_eq!((cut.origin_port, cut.scale), (8001, Some(7)));
            assert_eq!(cut.packet_bytes as usize, whole.len());
        }
    }

    #[test]
    fn a_syn_of_the_client_says_where_it_goes() {
        let mut packet = Vec::new();
        let builder = PacketBuilder::ipv6([2; 16], [1; 16], 64).tcp(CLIENT, 8000, 1, 512).syn();
        builder.write(&mut packet, &[]).unwrap();
        let syn = parse(&packet, 0, &PORTS).unwrap().segment;
        assert_eq!(syn.to, Some(IpAddr::from([1; 16])));
        let told = serde_json::to_string(&syn).unwrap();
        assert!(told.ends_with(",\"to\":\"101:101:101:101:101:101:101:101\"}"), "{told}");
        assert_eq!(parse(&packet, 0, &[CLIENT]).unwrap().segment.to, None, "the origin's SYN");
    }

    #[test]
    fn the_port_that_was_asked_for_is_the_origins() {
        for version in [4, 6] {
            let answer = parse(&packet_over(version, 8000, CLIENT, &[]), 0, &PORTS).unwrap();
            assert_eq!(answer.segment.sender, Sender::Origin);
            assert_eq!((answer.segment.port, answer.segment.size), (CLIENT, 0));
            let to = parse(&packet_over(version, CLIENT, 8000, &[]), 0, &PORTS).unwrap();
            assert_ne!(to.client, answer.client, "the client's address is the other end's");
        }
    }

    #[test]
    fn what_is_no_segment_of_these_ports_is_left_out() {
        assert_eq!(parse(&packet_over(4, 1, 2, &[]), 0, &PORTS), None);
        let whole = packet_over(6, CLIENT, 8000, &[]);
        for bytes in 0..60 {
            assert_eq!(parse(&whole[..bytes], 0, &PORTS), None, "{bytes} bytes");
        }
        let mut udp = Vec::new();
        PacketBuilder::ipv4([1; 4], [2; 4], 9).udp(1, 8000).write(&mut udp, &[]).unwrap();
        assert_eq!(parse(&udp, 0, &PORTS), None);
    }

    #[test]
    fn a_segment_is_told_in_the_words_of_the_harness() {
        let seen = parse(&packet_over(4, CLIENT, 8000, b"hello"), 1, &PORTS).unwrap();
        assert_eq!(
            serde_json::to_string(&seen.segment).unwrap(),
            "{\"at_ns\":1,\"sender\":\"client\",\"port\":51000,\"sequence\":4294967295,\
             \"acknowledged\":77,\"flags\":24,\"window\":512,\"size\":5}"
        );
    }
}
