//! Content codings, and `Accept-Encoding` (RFC 9110, sections 8.4.1 and 12.5.3).

use std::io::{self, Write as _};

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use hyper::HeaderMap;
use hyper::header::{ACCEPT_ENCODING, HeaderValue};

/// What servers usually use for documents that they compress once. RFC 7932 has levels up to 11; 22
/// is the usual window.
const BROTLI_BUFFER: usize = 4096;
const BROTLI_QUALITY: u32 = 5;
const BROTLI_WINDOW: u32 = 22;

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    Gzip,
    /// In the zlib format, as RFC 9110 defines it.
    Deflate,
    Br,
    Zstd,
}

impl Coding {
    pub fn name(self) -> HeaderValue {
        HeaderValue::from_static(self.names()[0])
    }

    /// The name of the coding, and an alias if it has one.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Gzip => &["gzip", "x-gzip"],
            Self::Deflate => &["deflate"],
            Self::Br => &["br"],
            Self::Zstd => &["zstd"],
        }
    }

    /// Whether `Accept-Encoding` names this coding, or `*`, with a weight above 0.
    pub fn is_accepted(self, headers: &HeaderMap) -> bool {
        let lists = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        let mut any = false;
        for element in lists.flat_map(|list| list.split(',')) {
            let (coding, weight) = element.split_once(';').unwrap_or((element, ""));
            let coding = coding.trim();
            if self.names().iter().any(|name| name.eq_ignore_ascii_case(coding)) {
                return weight_of(weight) > 0.0;
            }
            if coding == "*" {
                any = weight_of(weight) > 0.0;
            }
        }
        any
    }

    /// Compresses `plain`.
    pub fn encoded(self, plain: &[u8]) -> Vec<u8> {
        // Writing into a Vec cannot fail.
        self.try_encoded(plain).unwrap_or_default()
    }

    fn try_encoded(self, plain: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(plain)?;
                encoder.finish()
            }
            Self::Deflate => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(plain)?;
                encoder.finish()
            }
            Self::Br => {
                let mut encoder = brotli::CompressorWriter::new(
                    Vec::new(),
                    BROTLI_BUFFER,
                    BROTLI_QUALITY,
                    BROTLI_WINDOW,
                );
                encoder.write_all(plain)?;
                Ok(encoder.into_inner())
            }
            Self::Zstd => zstd::encode_all(plain, zstd::DEFAULT_COMPRESSION_LEVEL),
        }
    }
}

fn weight_of(parameter: &str) -> f32 {
    let (name, value) = parameter.split_once('=').unwrap_or(("", ""));
    if name.trim().eq_ignore_ascii_case("q") { value.trim().parse().unwrap_or(0.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::*;

    const ALL: [Coding; 4] = [Coding::Gzip, Coding::Deflate, Coding::Br, Coding::Zstd];

    fn accepting(field: &str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, field.parse().unwrap())])
    }

    #[test]
    fn by_name_wildcard_and_weight() {
        for (field, gzip) in [
            ("gzip", true),
            ("deflate, GZIP;q=0.5", true),
            ("br", false),
            ("", false),
            ("identity", false),
            ("gzip;q=0", false),
            ("gzip; q=0.000, *", false),
            ("*", true),
            ("*;q=0", false),
            ("x-gzip", true),
        ] {
            assert_eq!(Coding::Gzip.is_accepted(&accepting(field)), gzip, "{field}");
        }
        assert!(ALL.iter().all(|coding| !coding.is_accepted(&HeaderMap::new())));
    }

    #[test]
    fn each_is_accepted_by_its_own_name_only() {
        for coding in ALL {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, coding.name())]);
            let accepted: Vec<_> = ALL.iter().filter(|one| one.is_accepted(&headers)).collect();
            assert_eq!(accepted, [&coding]);
        }
    }

    fn decoded(coding: Coding, packed: &[u8]) -> Vec<u8> {
        let mut decoder: Box<dyn Read + '_> = match coding {
            Coding::Gzip => Box::new(flate2::read::GzDecoder::new(packed)),
            Coding::Deflate => Box::new(flate2::read::ZlibDecoder::new(packed)),
            Coding::Br => Box::new(brotli::Decompressor::new(packed, BROTLI_BUFFER)),
            Coding::Zstd => Box::new(zstd::Decoder::new(packed).unwrap()),
        };
        let mut plain = Vec::new();
        decoder.read_to_end(&mut plain).unwrap();
        plain
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]
        #[test]
        fn encoded_is_the_same_content(
            plain in proptest::collection::vec(0u8..4, 0..5_000),
            coding in proptest::sample::select(&ALL),
        ) {
            let packed = coding.encoded(&plain);
            prop_assert!(plain.len() < 500 || packed.len() < plain.len());
            prop_assert_eq!(decoded(coding, &packed), plain);
        }
    }
}
