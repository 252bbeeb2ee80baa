//! The kernel's filter: TCP to or from one of the origin's ports, and how much of each packet.
//!
//! A program of the classic BPF (Linux, Documentation/networking/filter.rst), so that other packets
//! cost nothing but its run. IPv6 with extension headers before TCP is not seen; nothing sends it.

use libc::{
    BPF_ABS, BPF_ALU, BPF_B, BPF_H, BPF_IND, BPF_JA, BPF_JEQ, BPF_JMP, BPF_JSET, BPF_K, BPF_LD,
    BPF_LDX, BPF_MSH, BPF_RET, BPF_RSH, sock_filter,
};

/// The most ports of one recording: the program has four instructions a port and version of IP.
pub const MOST_PORTS: usize = 64;

const TCP: u32 = 6;

/// Offsets in the headers (RFC 791, RFC 8200).
const IPV4_PROTOCOL: u32 = 9;
const IPV4_FRAGMENT: u32 = 6;
const FRAGMENT_OFFSET: u32 = 0x1fff;
const IPV6_NEXT_HEADER: u32 = 6;
const IPV6_BYTES: u32 = 40;

/// Accepts so many bytes of each packet of these ports. It expects the header of IP first.
pub fn program(ports: &[u16], snap: u32) -> Vec<sock_filter> {
    let mut ipv4 = must_be(BPF_B, IPV4_PROTOCOL, TCP);
    ipv4.extend([
        load(BPF_H | BPF_ABS, IPV4_FRAGMENT),
        jump(BPF_JSET, FRAGMENT_OFFSET, 0, 1),
        REJECT,
    ]);
    ipv4.push(statement(BPF_LDX | BPF_B | BPF_MSH, 0)); // X becomes the length of the header
    ipv4.extend(ports_at(BPF_H | BPF_IND, 0, ports, snap));
    let mut ipv6 = must_be(BPF_B, IPV6_NEXT_HEADER, TCP);
    ipv6.extend(ports_at(BPF_H | BPF_ABS, IPV6_BYTES, ports, snap));
    let mut whole = vec![
        load(BPF_B | BPF_ABS, 0),
        statement(BPF_ALU | BPF_RSH | BPF_K, 4),
        jump(BPF_JEQ, 4, 3, 0), // to `ipv4`
        jump(BPF_JEQ, 6, 1, 0), // to the long jump
        REJECT,
        statement(BPF_JMP | BPF_JA, ipv4.len() as u32), // to `ipv6`
    ];
    whole.extend(ipv4);
    whole.extend(ipv6);
    whole
}

const REJECT: sock_filter = sock_filter { code: (BPF_RET | BPF_K) as u16, jt: 0, jf: 0, k: 0 };

fn must_be(size: u32, offset: u32, value: u32) -> Vec<sock_filter> {
    vec![load(size | BPF_ABS, offset), jump(BPF_JEQ, value, 1, 0), REJECT]
}

/// Accepts where the source's or the destination's port is one of these, else rejects.
fn ports_at(mode: u32, offset: u32, ports: &[u16], snap: u32) -> Vec<sock_filter> {
    let mut found = Vec::new();
    for place in [offset, offset + 2] {
        found.push(load(mode, place));
        for &port in ports {
            found.push(jump(BPF_JEQ, port.into(), 0, 1));
            found.push(statement(BPF_RET | BPF_K, snap));
        }
    }
    found.push(REJECT);
    found
}

fn load(how: u32, offset: u32) -> sock_filter {
    statement(BPF_LD | how, offset)
}

fn statement(code: u32, k: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

/// A comparison with a constant: how many instructions to skip where it holds, and where not.
fn jump(comparison: u32, with: u32, if_so: u8, if_not: u8) -> sock_filter {
    sock_filter { code: (BPF_JMP | comparison | BPF_K) as u16, jt: if_so, jf: if_not, k: with }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixDatagram;

    use etherparse::{IpFragOffset, Ipv4Header, PacketBuilder};

    use super::*;

    const SNAP: u32 = 128;

    /// What the kernel lets through. Any socket can have a filter, without privileges.
    fn passed(ports: &[u16], packet: &[u8]) -> Option<usize> {
        let (here, there) = UnixDatagram::pair().unwrap();
        fetchoff_packet_socket::attach(there.as_fd(), &program(ports, SNAP)).unwrap();
        there.set_nonblocking(true).unwrap();
        // A packet that is filtered out is an error to its sender.
        let _ = here.send(packet);
        there.recv(&mut [0; 4096]).ok()
    }

    fn ipv4(from: u16, to: u16) -> Vec<u8> {
        let builder = PacketBuilder::ipv4([127, 0, 0, 1], [127, 0, 0, 1], 64);
        built(builder.tcp(from, to, 1, 65_535))
    }

    fn ipv6(from: u16, to: u16) -> Vec<u8> {
        let builder = PacketBuilder::ipv6([1; 16], [1; 16], 64);
        built(builder.tcp(from, to, 1, 65_535))
    }

    fn built(builder: etherparse::PacketBuilderStep<etherparse::TcpHeader>) -> Vec<u8> {
        let mut packet = Vec::new();
        builder.write(&mut packet, &[7; 500]).unwrap();
        packet
    }

    #[test]
    fn only_the_ports_asked_for_pass_and_only_their_beginnings() {
        let many: Vec<u16> = (8000..8000 + MOST_PORTS as u16).collect();
        for ports in [&[8000, 8001][..], &many] {
            for packet in [ipv4, ipv6] {
                for (from, to, passes) in
                    [(8001, 9, true), (9, 8000, true), (9, 10, false), (80, 7999, false)]
                {
                    let expected = passes.then_some(SNAP as usize);
                    assert_eq!(passed(ports, &packet(from, to)), expected, "{from} to {to}");
                }
            }
        }
    }

    #[test]
    fn nothing_but_tcp_passes() {
        let udp = |builder: etherparse::PacketBuilderStep<etherparse::IpHeaders>| {
            let mut packet = Vec::new();
            builder.udp(8000, 8000).write(&mut packet, &[7; 100]).unwrap();
            packet
        };
        assert_eq!(passed(&[8000], &udp(PacketBuilder::ipv4([1; 4], [2; 4], 64))), None);
        assert_eq!(passed(&[8000], &udp(PacketBuilder::ipv6([1; 16], [2; 16], 64))), None);
        for garbage in [&[][..], &[0x45], &[0xff; 60], &[0x45; 12], &[0x60; 41]] {
            assert_eq!(passed(&[0x4545, 0x6060], garbage), None, "{garbage:?}");
        }
    }

    #[test]
    fn a_later_fragment_has_no_ports() {
        let mut packet = ipv4(8000, 8000);
        let (mut header, _) = Ipv4Header::from_slice(&packet).unwrap();
        header.fragment_offset = IpFragOffset::try_new(8).unwrap();
        packet[..header.header_len()].copy_from_slice(&header.to_bytes());
        assert_eq!(passed(&[8000], &packet), None);
    }
}
