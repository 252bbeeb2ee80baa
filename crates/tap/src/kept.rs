//! Packets in a file: pcapng, which Wireshark and tcpdump read
//! (draft-ietf-opsawg-pcapng, IETF).

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, PcapError};

/// Stamps are in units of 10^-9 s.
const NANOSECONDS: u8 = 9;

/// A file of packets that begin with the header of IP.
pub struct Kept<W: Write> {
    writer: PcapNgWriter<W>,
}

impl Kept<BufWriter<File>> {
    /// Makes the file, or empties it.
    pub fn create(path: &Path, interface: &str, snap: u32) -> io::Result<Self> {
        Self::new(BufWriter::new(File::create(path)?), interface, snap)
    }
}

impl<W: Write> Kept<W> {
    fn new(into: W, interface: &str, snap: u32) -> io::Result<Self> {
        let application = SectionHeaderOption::UserApplication(Cow::Borrowed("fetchoff-tap"));
        let section = SectionHeaderBlock {
            endianness: Endianness::native(),
            options: vec![application],
            ..SectionHeaderBlock::default()
        };
        let mut writer = PcapNgWriter::with_section_header(into, section).map_err(of_pcap)?;
        let device = InterfaceDescriptionBlock {
            linktype: DataLink::RAW,
            snaplen: snap,
            options: vec![
                InterfaceDescriptionOption::IfName(Cow::Borrowed(interface)),
                InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
            ],
        };
        writer.write_pcapng_block(device).map_err(of_pcap)?;
        Ok(Self { writer })
    }

    /// Adds a packet, of which `packet` may be the beginning only.
    pub fn add(&mut self, packet: &[u8], at_ns: u64, packet_bytes: u32) -> io::Result<()> {
        let block = EnhancedPacketBlock {
            interface_id: 0,
            timestamp: Duration::from_nanos(at_ns),
            original_len: packet_bytes.max(packet.len() as u32),
            data: Cow::Borrowed(packet),
            options: Vec::new(),
        };
        self.writer.write_pcapng_block(block).map_err(of_pcap)?;
        Ok(())
    }

    /// Writes what is still in memory.
    pub fn finish(self) -> io::Result<()> {
        self.writer.into_inner().flush()
    }
}

fn of_pcap(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use pcap_file::pcapng::{Block, PcapNgReader};

    use super::*;

    #[test]
    fn packets_are_read_back_to_the_nanosecond() {
        const AT_NS: u64 = 1_700_000_000_123_456_789;
        let mut file = Vec::new();
        let mut kept = Kept::new(&mut file, "lo", 66_000).unwrap();
        kept.add(&[0x45, 2, 3], AT_NS, 60).unwrap();
        kept.add(&[0x60; 50], AT_NS + 1, 50).unwrap();
        kept.finish().unwrap();
        let mut reader = PcapNgReader::new(&file[..]).unwrap();
        let mut packets = Vec::new();
        while let Some(block) = reader.next_block() {
            if let Block::EnhancedPacket(packet) = block.unwrap().into_owned() {
                packets.push((packet.timestamp.as_nanos(), packet.original_len, packet.data));
            }
        }
        assert_eq!(packets.len(), 2);
        assert_eq!(packets[0], (AT_NS.into(), 60, Cow::Borrowed(&[0x45, 2, 3][..])));
        assert_eq!((packets[1].0, packets[1].1), (u128::from(AT_NS) + 1, 50));
        let device = &reader.interfaces()[0];
        assert_eq!(device.linktype, DataLink::RAW);
        assert!(device.options.contains(&InterfaceDescriptionOption::IfTsResol(NANOSECONDS)));
    }
}
