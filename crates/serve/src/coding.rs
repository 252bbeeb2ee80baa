//! `Accept-Encoding` (RFC 9110, section 12.5.3).

use hyper::HeaderMap;
use hyper::header::ACCEPT_ENCODING;

/// Whether an answer in gzip is acceptable, and was asked for.
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut any = false;
    for element in lists.flat_map(|list| list.split(',')) {
        let (coding, weight) = element.split_once(';').unwrap_or((element, ""));
        let acceptable = weight_of(weight) > 0.0;
        match coding.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => return acceptable,
            "*" => any = acceptable,
            _ => {}
        }
    }
    any
}

fn weight_of(parameter: &str) -> f32 {
    let (name, value) = parameter.split_once('=').unwrap_or(("", ""));
    if name.trim().eq_ignore_ascii_case("q") { value.trim().parse().unwrap_or(0.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, field.parse().unwrap());
            assert_eq!(accepts_gzip(&headers), gzip, "{field}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
