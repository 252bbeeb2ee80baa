//! What the server knows: one name, and its addresses.

use std::net::IpAddr;

use simple_dns::rdata::{A, AAAA, RData};
use simple_dns::{CLASS, Packet, PacketFlag, QTYPE, Question, RCODE, ResourceRecord, TYPE};

/// No client may keep an answer: what a recording shows would depend on what came before.
const TTL_S: u32 = 0;

/// One name and its addresses. Every other name doesn't exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    name: String,
    addresses: Vec<IpAddr>,
}

/// A query that was understood, and the packet that answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The name that was asked for, in lower case, without the dot at its end.
    pub name: String,
    /// The type of the records that were asked for, such as `AAAA`.
    pub kind: String,
    /// The answer.
    pub packet: Vec<u8>,
}

impl Zone {
    /// The zone of this name, which is told in the order of `addresses`.
    pub fn new(name: &str, addresses: Vec<IpAddr>) -> Self {
        Self { name: name.to_ascii_lowercase(), addresses }
    }

    /// Answers a query (RFC 1035, section 4). `None` if it is none, or doesn't ask one question.
    pub fn answer(&self, query: &[u8]) -> Option<Answered> {
        let query = Packet::parse(query).ok()?;
        let [question] = &query.questions[..] else { return None };
        if query.has_flags(PacketFlag::RESPONSE) {
            return None;
        }
        let name = question.qname.to_string().to_ascii_lowercase();
        let mut answer = Packet::new_reply(query.id());
        answer.set_flags(PacketFlag::AUTHORITATIVE_ANSWER | PacketFlag::RECURSION_AVAILABLE);
        if query.has_flags(PacketFlag::RECURSION_DESIRED) {
            answer.set_flags(PacketFlag::RECURSION_DESIRED);
        }
        if name == self.name {
            answer.answers = self.records(question);
        } else {
            *answer.rcode_mut() = RCODE::NameError;
        }
        answer.questions.push(question.clone());
        let kind = kind_of(question.qtype);
        Some(Answered { name, kind, packet: answer.build_bytes_vec_compressed().ok()? })
    }

    fn records<'a>(&self, question: &Question<'a>) -> Vec<ResourceRecord<'a>> {
        let record = |data| ResourceRecord::new(question.qname.clone(), CLASS::IN, TTL_S, data);
        let all = self.addresses.iter().map(|address| match *address {
            IpAddr::V4(address) => record(RData::A(A { address: address.into() })),
            IpAddr::V6(address) => record(RData::AAAA(AAAA { address: address.into() })),
        });
        all.filter(|one| one.match_qtype(question.qtype)).collect()
    }
}

fn kind_of(asked: QTYPE) -> String {
    match asked {
        QTYPE::TYPE(TYPE::Unknown(number)) => format!("TYPE{number}"), // RFC 3597, section 5
        QTYPE::TYPE(known) => format!("{known:?}"),
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use simple_dns::{Name, QCLASS};

    use super::*;

    fn zone() -> Zone {
        let addresses = ["198.18.1.2", "2001:2:0:1::dead", "2001:2:0:1::2"];
        Zone::new("Origin.test", addresses.map(|address| address.parse().unwrap()).to_vec())
    }

    fn query(name: &str, kind: TYPE) -> Vec<u8> {
        let mut packet = Packet::new_query(77);
        packet.set_flags(PacketFlag::RECURSION_DESIRED);
        let name = Name::new(name).unwrap().into_owned();
        packet.questions.push(Question::new(
            name,
            QTYPE::TYPE(kind),
            QCLASS::CLASS(CLASS::IN),
            false,
        ));
        packet.build_bytes_vec().unwrap()
    }

    fn told(kind: TYPE) -> Vec<IpAddr> {
        let answered = zone().answer(&query("origin.TEST", kind)).unwrap();
        let packet = Packet::parse(&answered.packet).unwrap();
        assert_eq!((packet.id(), packet.rcode()), (77, RCODE::NoError));
        assert!(packet.has_flags(PacketFlag::RESPONSE | PacketFlag::RECURSION_DESIRED));
        let address = |record: &ResourceRecord<'_>| match &record.rdata {
            RData::A(data) => IpAddr::V4(data.address.into()),
            RData::AAAA(data) => IpAddr::V6(data.address.into()),
            other => panic!("{other:?}"),
        };
        packet.answers.iter().map(address).collect()
    }

    #[test]
    fn addresses_are_told_by_their_version_in_their_order() {
        assert_eq!(told(TYPE::A), ["198.18.1.2".parse::<IpAddr>().unwrap()]);
        let expected: [IpAddr; 2] =
            ["2001:2:0:1::dead", "2001:2:0:1::2"].map(|address| address.parse().unwrap());
        assert_eq!(told(TYPE::AAAA), expected);
        assert_eq!(told(TYPE::MX), [] as [IpAddr; 0]);
    }

    #[test]
    fn other_names_do_not_exist() {
        let answered = zone().answer(&query("www.origin.test", TYPE::A)).unwrap();
        let packet = Packet::parse(&answered.packet).unwrap();
        assert_eq!((packet.rcode(), packet.answers.len()), (RCODE::NameError, 0));
    }

    #[test]
    fn what_was_asked_is_told_in_plain_words() {
        let answered = zone().answer(&query("ORIGIN.test", TYPE::AAAA)).unwrap();
        assert_eq!((answered.name.as_str(), answered.kind.as_str()), ("origin.test", "AAAA"));
        let answered = zone().answer(&query("origin.test", TYPE::Unknown(65))).unwrap();
        assert!(["HTTPS", "TYPE65"].contains(&answered.kind.as_str()), "{}", answered.kind);
    }

    #[test]
    fn what_is_no_query_is_not_answered() {
        let whole = query("origin.test", TYPE::A);
        for bytes in 0..whole.len() {
            assert_eq!(zone().answer(&whole[..bytes]), None, "{bytes} bytes");
        }
        let answered = zone().answer(&whole).unwrap();
        assert_eq!(zone().answer(&answered.packet), None, "an answer is no query");
    }
}
