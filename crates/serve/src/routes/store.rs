//! `/documents`: a small document store. It implements as much of `OpenSearch`'s document API as a
//! benchmark of clients needs, so that the same workload runs on both
//! (<https://docs.opensearch.org/latest/api-reference/document-apis/>).

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use bytes::Bytes;
use percent_encoding::percent_decode_str;
use serde::Serialize;
use serde::de::IgnoredAny;

use crate::content::refusal::Refusal;
use crate::limits::{ID_BYTES, STORE_BYTES, STORE_DOCUMENTS};

/// The name of the only index.
pub const INDEX: &str = "documents";

/// The name of a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Id(String);

impl Id {
    /// Decodes a segment of a target.
    pub fn decoded(segment: &str) -> Result<Self, Refusal> {
        let id = percent_decode_str(segment).decode_utf8().ok();
        id.filter(|id| (1..=ID_BYTES).contains(&id.len()))
            .map(|id| Self(id.into_owned()))
            .ok_or(Refusal::BadId)
    }
}

/// A document as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    version: u64,
    pub source: Bytes,
}

impl Stored {
    /// The document and its metadata, as JSON.
    pub fn described(&self, id: &Id) -> Vec<u8> {
        let about = Description { index: INDEX, id, version: Some(self.version), found: true };
        let mut text = about.written();
        text.pop();
        text.extend_from_slice(b",\"_source\":");
        text.extend_from_slice(&self.source);
        text.push(b'}');
        text
    }
}

/// The answer where the store has no such document, as JSON.
pub fn not_found(id: &Id) -> Vec<u8> {
    Description { index: INDEX, id, version: None, found: false }.written()
}

#[derive(Serialize)]
struct Description<'a> {
    #[serde(rename = "_index")]
    index: &'static str,
    #[serde(rename = "_id")]
    id: &'a Id,
    #[serde(rename = "_version", skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    found: bool,
}

impl Description<'_> {
    fn written(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// Whether a write created a document or replaced one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Created,
    Updated,
}

/// The answer to a write.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Written<'a> {
    #[serde(rename = "_index")]
    index: &'static str,
    #[serde(rename = "_id")]
    id: &'a Id,
    #[serde(rename = "_version")]
    version: u64,
    pub result: Outcome,
}

/// The stored documents, which all listeners share, within bounds.
#[derive(Debug, Default)]
pub struct Store {
    documents: RefCell<HashMap<Id, Stored>>,
    bytes: Cell<usize>,
}

impl Store {
    /// Stores a document; it replaces one of the same name.
    pub fn put<'a>(&self, id: &'a Id, source: &[u8]) -> Result<Written<'a>, Refusal> {
        let mut documents = self.documents.borrow_mut();
        let before = documents.get(id);
        let bytes =
            self.bytes.get() - before.map_or(0, |stored| stored.source.len()) + source.len();
        let number = documents.len() + usize::from(before.is_none());
        if bytes > STORE_BYTES || number > STORE_DOCUMENTS {
            return Err(Refusal::StoreFull);
        }
        let version = before.map_or(0, |stored| stored.version) + 1;
        let result = if before.is_some() { Outcome::Updated } else { Outcome::Created };
        // Copied, because a slice of the read buffer would keep the whole buffer in memory.
        let stored = Stored { version, source: Bytes::copy_from_slice(source) };
        documents.insert(id.clone(), stored);
        self.bytes.set(bytes);
        Ok(Written { index: INDEX, id, version, result })
    }

    /// The document, if there is one.
    pub fn get(&self, id: &Id) -> Option<Stored> {
        self.documents.borrow().get(id).cloned()
    }
}

/// Refuses what is not a JSON object, as `OpenSearch` does.
pub fn check(content: &[u8]) -> Result<(), Refusal> {
    let text = str::from_utf8(content).map_err(|error| bad(&error))?;
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| bad(&error))?;
    if text.trim_ascii_start().starts_with('{') {
        Ok(())
    } else {
        Err(Refusal::BadContent("a document is a JSON object".into()))
    }
}

fn bad(error: &dyn std::error::Error) -> Refusal {
    Refusal::BadContent(format!("not JSON: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> Id {
        Id::decoded(name).unwrap()
    }

    #[test]
    fn versions_count_the_writes_of_a_document() {
        let store = Store::default();
        let (one, other) = (id("1"), id("2"));
        let written = |id| {
            let written = store.put(id, b"{}").unwrap();
            (written.version, written.result)
        };
        assert_eq!(written(&one), (1, Outcome::Created));
        assert_eq!(written(&one), (2, Outcome::Updated));
        assert_eq!(written(&other), (1, Outcome::Created));
        assert_eq!(store.get(&one).unwrap().version, 2);
        assert_eq!(store.get(&id("3")), None);
    }

    #[test]
    fn what_is_replaced_gives_its_room_back() {
        let store = Store::default();
        let large = vec![b' '; STORE_BYTES];
        assert!(store.put(&id("1"), &large).is_ok());
        assert_eq!(store.put(&id("2"), b"{}"), Err(Refusal::StoreFull));
        assert!(store.put(&id("1"), b"{}").is_ok());
        assert!(store.put(&id("2"), &large[4..]).is_ok());
        assert!(store.put(&id("1"), b"{ } ").is_ok());
        assert_eq!(store.put(&id("1"), b"{  } "), Err(Refusal::StoreFull));
        assert_eq!(store.get(&id("1")).unwrap().source, "{ } ");
    }

    #[test]
    fn documents_are_counted_once() {
        let store = Store::default();
        for n in 0..STORE_DOCUMENTS {
            assert!(store.put(&id(&n.to_string()), b"{}").is_ok());
        }
        assert_eq!(store.put(&id("one more"), b"{}"), Err(Refusal::StoreFull));
        assert!(store.put(&id("0"), b"{}").is_ok());
    }

    #[test]
    fn names_are_decoded_and_bounded() {
        assert_eq!(id("a%2Fb%20%C3%A9"), Id("a/b é".into()));
        assert!(Id::decoded(&"x".repeat(ID_BYTES)).is_ok());
        for wrong in ["", "%ff", &"x".repeat(ID_BYTES + 1)] {
            assert_eq!(Id::decoded(wrong), Err(Refusal::BadId), "{wrong}");
        }
    }

    #[test]
    fn documents_are_json_objects() {
        for right in ["{}", " {\"a\":[1,\"\u{e9}\"]}\n", "{\"a\":{\"b\":[[]]}}"] {
            assert_eq!(check(right.as_bytes()), Ok(()), "{right}");
        }
        for wrong in
            [&b""[..], b"{", b"{}x", b"[]", b"1", b"\"{\"", b"{\"a\":\"\xff\"}", b"\xef\xbb\xbf{}"]
        {
            assert!(matches!(check(wrong), Err(Refusal::BadContent(_))), "{wrong:?}");
        }
    }
}
