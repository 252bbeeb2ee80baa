//! Where a redirect leads: to the same host, or to the same port under another name.

use hyper::header::HOST;
use hyper::http::request::Parts;
use hyper::http::uri::Authority;

/// The longest name of a host (RFC 1035, section 2.3.4).
const HOST_BYTES: usize = 253;

/// Whether this can be the name of a host, or an IPv4 address.
pub fn is_host(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    (1..=HOST_BYTES).contains(&name.len()) && name.bytes().all(is_part)
}

/// The value of `Location`: the target, or with a host an absolute URI with the request's port.
pub fn location(host: Option<&str>, target: &str, scheme: &str, parts: &Parts) -> String {
    match (host, port(parts)) {
        (None, _) => target.to_owned(),
        (Some(host), None) => format!("{scheme}://{host}{target}"),
        (Some(host), Some(port)) => format!("{scheme}://{host}:{port}{target}"),
    }
}

/// The port that the client asked for, in the target itself (HTTP/2, a proxy) or in `Host`.
fn port(parts: &Parts) -> Option<u16> {
    match parts.uri.authority() {
        Some(authority) => authority.port_u16(),
        None => parts.headers.get(HOST)?.to_str().ok()?.parse::<Authority>().ok()?.port_u16(),
    }
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn parts(uri: &str, host: &str) -> Parts {
        Request::builder().uri(uri).header(HOST, host).body(()).unwrap().into_parts().0
    }

    #[test]
    fn another_host_keeps_scheme_and_port() {
        let there = |uri, host| location(Some("there"), "/x", "https", &parts(uri, host));
        assert_eq!(there("/", "here:81"), "https://there:81/x");
        assert_eq!(there("/", "[::1]:81"), "https://there:81/x");
        assert_eq!(there("/", "here"), "https://there/x");
        assert_eq!(there("http://here:82/", "proxy:81"), "https://there:82/x");
        assert_eq!(location(None, "/x", "https", &parts("/", "here:81")), "/x");
    }

    #[test]
    fn names_of_hosts() {
        assert!(is_host("localhost") && is_host("127.0.0.1") && is_host("a-b.example"));
        for name in ["", "a/b", "a:1", "a b", "a@b", "é", "a\r\n", &"a".repeat(254)] {
            assert!(!is_host(name), "{name}");
        }
    }
}
