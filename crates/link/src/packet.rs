//! The few fields of IP packets that a link looks at.

const VERSION_4: u8 = 4;
const VERSION_6: u8 = 6;
const IPV4_DESTINATION: usize = 16;
const IPV6_DESTINATION: usize = 24;
const IPV4_HEADER: usize = 20;
const IPV6_HEADER: usize = 40;

/// Whether a link carries this packet: IPv4 or IPv6 to a single host.
///
/// Kernels send multicast on their own (MLD reports, router solicitations). It would shift the
/// packet numbers on which loss depends.
pub fn is_carried(packet: &[u8]) -> bool {
    match packet.first().map(|first| first >> 4) {
        Some(VERSION_4) => {
            packet.len() >= IPV4_HEADER && !matches!(packet[IPV4_DESTINATION], 224..=255)
        }
        Some(VERSION_6) => packet.len() >= IPV6_HEADER && packet[IPV6_DESTINATION] != 0xff,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(version: u8, destination: usize, byte: u8, bytes: usize) -> Vec<u8> {
        let mut packet = vec![0; bytes];
        packet[0] = version << 4;
        if destination < bytes {
            packet[destination] = byte;
        }
        packet
    }

    #[test]
    fn unicast_of_both_versions_is_carried() {
        assert!(is_carried(&packet(4, 16, 198, 20)));
        assert!(is_carried(&packet(6, 24, 0x20, 40)));
    }

    #[test]
    fn multicast_fragments_of_headers_and_other_protocols_are_not() {
        assert!(!is_carried(&packet(4, 16, 224, 20)));
        assert!(!is_carried(&packet(4, 16, 255, 20)));
        assert!(!is_carried(&packet(6, 24, 0xff, 40)));
        assert!(!is_carried(&packet(4, 16, 198, 19)));
        assert!(!is_carried(&packet(6, 24, 0x20, 39)));
        assert!(!is_carried(&packet(0, 0, 0, 60)));
        assert!(!is_carried(&[]));
    }
}
