//! The JSON documents of `/json/N`, plain and compressed, and a cache of them.

use std::cell::RefCell;
use std::io::Write as _;

use bytes::Bytes;
use tokio::sync::Mutex;

use crate::content::coding::Coding;
use crate::content::shared_file;
use crate::limits::{DOCUMENT_BYTES, INLINE_BYTES};

/// The smallest document that has `items`, `pad` and `end`.
const SMALLEST: usize = 64;

/// The only document below [`SMALLEST`]: the body that a published comparison uses.
const FOO_BAR: &[u8] = br#"{ "foo" : "bar" }"#;

/// The bounds of the cache: 32 documents, and as many bytes as two of the largest.
const KEPT: usize = 32;
const KEPT_BYTES: usize = 2 * DOCUMENT_BYTES;

/// Whether there is a document of exactly `size` bytes.
pub fn exists(size: usize) -> bool {
    size == FOO_BAR.len() || (SMALLEST..=DOCUMENT_BYTES).contains(&size)
}

/// The document of exactly `size` bytes, or `None` where there is none.
pub fn document(size: usize) -> Option<Vec<u8>> {
    if size == FOO_BAR.len() {
        return Some(FOO_BAR.to_vec());
    }
    exists(size).then(|| written(size))
}

fn written(size: usize) -> Vec<u8> {
    let end = format!("\",\"end\":\"{size}\"}}");
    let pad = b"],\"pad\":\"";
    let mut text = Vec::with_capacity(size + 128);
    text.extend_from_slice(b"{\"items\":[");
    let room = size - pad.len() - end.len();
    for k in 0.. {
        let before = text.len();
        write_item(&mut text, k);
        if text.len() > room {
            text.truncate(before);
            break;
        }
    }
    text.extend_from_slice(pad);
    text.resize(size - end.len(), b'x');
    text.extend_from_slice(end.as_bytes());
    text
}

fn write_item(text: &mut Vec<u8>, k: usize) {
    let comma = if k == 0 { "" } else { "," };
    let cents = k * 37 % 10_000;
    let (units, cents) = (cents / 100, cents % 100);
    let seventh = k % 7;
    let parity = if k.is_multiple_of(2) { "even" } else { "odd" };
    let stock = k.is_multiple_of(3);
    // Writing into a Vec cannot fail.
    let _ = write!(
        text,
        r#"{comma}{{"id":{k},"name":"item {k}","price":{units}.{cents:02},"tags":["t{seventh}","{parity}"],"stock":{stock}}}"#
    );
}

/// A document as it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    /// Exactly as many bytes as asked for.
    Plain(usize),
    /// The same, compressed.
    Coded(Coding, usize),
}

impl Document {
    fn size(self) -> usize {
        match self {
            Self::Plain(size) | Self::Coded(_, size) => size,
        }
    }

    fn make(self) -> Bytes {
        let plain = document(self.size()).unwrap_or_default();
        match self {
            Self::Plain(_) => shared_file::shared(plain),
            Self::Coded(coding, _) => shared_file::shared(coding.encoded(&plain)),
        }
    }
}

/// The documents that were requested before, the most recent one first.
#[derive(Debug, Default)]
pub struct DocumentCache {
    kept: RefCell<Vec<(Document, Bytes)>>,
    making: Mutex<()>,
}

impl DocumentCache {
    /// The document, if it is in the cache or small enough to be made at once.
    pub fn immediate(&self, wanted: Document) -> Option<Bytes> {
        self.kept(wanted).or_else(|| {
            (wanted.size() <= INLINE_BYTES).then(|| {
                let made = wanted.make();
                self.keep(wanted, &made);
                made
            })
        })
    }

    /// The document. If it has to be made, that happens on another thread, one document at a time.
    pub async fn get(&self, wanted: Document) -> Bytes {
        let _making = self.making.lock().await;
        if let Some(bytes) = self.immediate(wanted) {
            return bytes;
        }
        let made = tokio::task::spawn_blocking(move || wanted.make()).await.unwrap_or_default();
        self.keep(wanted, &made);
        made
    }

    fn kept(&self, wanted: Document) -> Option<Bytes> {
        let mut kept = self.kept.borrow_mut();
        let at = kept.iter().position(|(document, _)| *document == wanted)?;
        kept[..=at].rotate_right(1);
        kept.first().map(|(_, bytes)| bytes.clone())
    }

    fn keep(&self, document: Document, bytes: &Bytes) {
        let mut kept = self.kept.borrow_mut();
        kept.insert(0, (document, bytes.clone()));
        let mut total = 0;
        let fits = kept
            .iter()
            .take(KEPT)
            .take_while(|(_, bytes)| {
                total += bytes.len();
                total <= KEPT_BYTES
            })
            .count();
        kept.truncate(fits);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn item(k: u32) -> Value {
        json!({
            "id": k,
            "name": format!("item {k}"),
            "price": f64::from(k * 37 % 10_000) / 100.0,
            "tags": [format!("t{}", k % 7), if k % 2 == 1 { "odd" } else { "even" }],
            "stock": k.is_multiple_of(3),
        })
    }

    #[test]
    fn seventeen_bytes_are_foo_bar() {
        assert_eq!(document(17).unwrap(), br#"{ "foo" : "bar" }"#);
    }

    #[test]
    fn a_small_document_to_the_letter() {
        let text = r#"{"items":[{"id":0,"name":"item 0","price":0.00,"tags":["t0","even"],"stock":true}],"pad":"xx","end":"106"}"#;
        assert_eq!(String::from_utf8(document(106).unwrap()).unwrap(), text);
    }

    #[test]
    fn there_is_none_of_other_sizes() {
        for size in [0, 16, 18, 63, DOCUMENT_BYTES + 1] {
            assert_eq!(document(size), None, "{size}");
        }
    }

    #[test]
    fn the_largest_is_exact() {
        let text = document(DOCUMENT_BYTES).unwrap();
        assert_eq!(text.len(), DOCUMENT_BYTES);
        assert!(text.ends_with(br#","end":"67108864"}"#));
    }

    #[test]
    fn the_cache_is_bounded() {
        let cache = DocumentCache::default();
        for size in 64..64 + 3 * KEPT {
            cache.immediate(Document::Plain(size)).unwrap();
        }
        assert_eq!(cache.kept.borrow().len(), KEPT);
        let newest = Document::Plain(63 + 3 * KEPT);
        assert_eq!(cache.kept.borrow()[0].0, newest);
        assert!(cache.kept(Document::Plain(64)).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn any_size_is_exact_and_holds_as_many_items_as_fit(size in 64usize..40_000) {
            let text = document(size).unwrap();
            prop_assert_eq!(text.len(), size);
            let parsed: Value = serde_json::from_slice(&text).unwrap();
            prop_assert_eq!(&parsed["end"], &json!(size.to_string()));
            let items = parsed["items"].as_array().unwrap();
            for (k, found) in (0u32..).zip(items) {
                prop_assert_eq!(found, &item(k));
            }
            let pad = parsed["pad"].as_str().unwrap();
            prop_assert!(pad.bytes().all(|b| b == b'x'));
            let mut next = Vec::new();
            write_item(&mut next, items.len());
            prop_assert!(pad.len() < next.len());
        }
    }
}
