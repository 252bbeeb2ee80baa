//! `/form`: `application/x-www-form-urlencoded` as the WHATWG URL standard parses and serialises
//! it.

use form_urlencoded::{Serializer, parse};

/// Parses a form and serialises its fields again, in the order sent. Any two encodings of the same
/// fields have the same result.
pub fn canonical(content: &[u8]) -> String {
    Serializer::new(String::with_capacity(content.len())).extend_pairs(parse(content)).finish()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn different_spellings_are_one() {
        for spelling in ["a=1+2&b=%C3%A9", "a=1%202&b=%c3%a9", "&a=1+2&&b=é&", "%61=1 2&b=é"] {
            assert_eq!(canonical(spelling.as_bytes()), "a=1+2&b=%C3%A9", "{spelling}");
        }
    }

    #[test]
    fn names_without_values_and_order_are_kept() {
        assert_eq!(canonical(b"b&a=&b=2&b=1&=x"), "b=&a=&b=2&b=1&=x");
    }

    #[test]
    fn only_the_standard_set_is_left_as_it_is() {
        assert_eq!(canonical("k=*-._~!'()@/".as_bytes()), "k=*-._%7E%21%27%28%29%40%2F");
    }

    proptest! {
        #[test]
        fn anything_is_understood_and_stays_as_it_is(content in vec(any::<u8>(), 0..200)) {
            let once = canonical(&content);
            prop_assert!(once.is_ascii());
            prop_assert_eq!(canonical(once.as_bytes()), once);
        }

        #[test]
        fn fields_come_back(fields in vec((".{0,20}", ".{0,20}"), 0..8)) {
            let sent = Serializer::new(String::new()).extend_pairs(&fields).finish();
            let understood: Vec<(String, String)> =
                parse(canonical(sent.as_bytes()).as_bytes()).into_owned().collect();
            prop_assert_eq!(understood, fields);
        }
    }
}
