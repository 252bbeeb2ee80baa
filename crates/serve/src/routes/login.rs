//! `/login` and `/private`: a session by cookie.

use hyper::HeaderMap;
use hyper::header::COOKIE;

use crate::content::refusal::Refusal;

const NAME: &str = "session";
const TOKEN: &str = "5f2c1d7e9a40b863";

/// The `Set-Cookie` field of the answer to a login.
pub const SET_COOKIE: &str = "session=5f2c1d7e9a40b863; Path=/; HttpOnly";

/// Refuses a form without the fields `user` and `password`.
pub fn check_form(content: &[u8]) -> Result<(), Refusal> {
    let given = |wanted: &str| form_urlencoded::parse(content).any(|(name, _)| name == wanted);
    if given("user") && given("password") {
        Ok(())
    } else {
        Err(Refusal::BadContent("the form needs the fields user and password".into()))
    }
}

/// Whether the request has the cookie of the session.
pub fn has_session(headers: &HeaderMap) -> bool {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|pairs| pairs.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .any(|(name, value)| name == NAME && value == TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_found_among_others() {
        let with = |cookie: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, cookie.parse().unwrap());
            has_session(&headers)
        };
        let pair = SET_COOKIE.split_once(';').unwrap().0;
        assert!(with(pair));
        assert!(with(&format!("a=1; {pair}; b=2")));
        assert!(!with("session=other"));
        assert!(!with(&format!("not-{pair}")));
        assert!(!has_session(&HeaderMap::new()));
    }

    #[test]
    fn both_fields_are_needed() {
        assert_eq!(check_form(b"user=a&password=b"), Ok(()));
        assert!(check_form(b"user=a").is_err());
        assert!(check_form(b"password=b").is_err());
    }
}
