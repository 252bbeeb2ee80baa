//! Every row of the table in docs/origin.md.

#![allow(clippy::unwrap_used)]

mod common;

use std::time::{Duration, Instant};

use common::{Origin, head, sha256};
use fetchoff_serve::document;
use serde_json::json;

const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

/// The content of `/bytes/N` by its definition, from digests alone.
fn defined(length: usize) -> Vec<u8> {
    let digests = (0..).flat_map(|n| {
        let digest = sha256(format!("fetchoff {n}").as_bytes());
        (0..32).map(move |i| u8::from_str_radix(&digest[2 * i..2 * i + 2], 16).unwrap())
    });
    let block: Vec<u8> = digests.take(65_521).collect();
    block.into_iter().cycle().take(length).collect()
}

#[test]
fn home() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let reply = client.ask("GET", "/", &[], b"");
    assert_eq!((reply.status, reply.text()), (200, "Hi"));
    assert_eq!(reply.field("content-type"), Some("text/html"));
    assert_eq!(client.ask("POST", "/", &[FORM], b"a=1").text(), "HiPost");
    assert_eq!(client.ask("POST", "/", &[], b"").text(), "HiPost");
}

#[test]
fn bytes_of_any_length() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let expected = defined(3_000_000);
    for length in [0, 1, 31, 32, 33, 65_520, 65_521, 65_522, 1 << 20, (1 << 20) + 1, 3_000_000] {
        let reply = client.ask("GET", &format!("/bytes/{length}"), &[], b"");
        assert_eq!(reply.field("content-length"), Some(length.to_string().as_str()));
        assert_eq!(reply.field("content-type"), Some("application/octet-stream"));
        assert!(reply.content == expected[..length], "{length}");
    }
}

#[test]
fn documents_from_the_smallest_to_large_ones() {
    let origin = Origin::start();
    let mut client = origin.connect();
    for size in [17, 64, 65, 1000, 335_114, 1_000_000] {
        let reply = client.ask("GET", &format!("/json/{size}"), &[], b"");
        assert_eq!(reply.field("content-type"), Some("application/json"));
        assert_eq!(reply.content.len(), size);
        assert!(reply.content == document(size).unwrap(), "{size}");
    }
}

#[test]
fn forms_are_told_back_in_the_canonical_encoding() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let reply = client.ask("POST", "/form", &[FORM], "b=%7e+x&a=é&c".as_bytes());
    assert_eq!((reply.status, reply.text()), (200, "b=%7E+x&a=%C3%A9&c="));
    let with_charset = format!("{FORM}; charset=utf-8");
    assert_eq!(client.ask("POST", "/form", &[&with_charset], b"a=1").text(), "a=1");
    assert_eq!(client.ask("POST", "/form", &[FORM], b"").text(), "");
    let reply = client.ask("POST", "/form", &["Content-Type: text/plain"], b"a=1");
    assert_eq!(reply.status, 415);
    assert_eq!(client.ask("POST", "/form", &[], b"a=1").status, 415);
}

#[test]
fn json_is_written_compactly_with_sorted_keys() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let json = "Content-Type: application/json";
    let sent = r#" { "b" : [1, 2.50, "\u00e9"], "a" : {"d":null, "c":true} } "#;
    let reply = client.ask("POST", "/json", &[json], sent.as_bytes());
    assert_eq!(reply.text(), r#"{"a":{"c":true,"d":null},"b":[1,2.5,"é"]}"#);
    for wrong in ["", "{", "[1,]", "\u{feff}1", &"[".repeat(10_000)] {
        let reply = client.ask("POST", "/json", &[json], wrong.as_bytes());
        assert_eq!(reply.status, 400, "{wrong}");
    }
    assert_eq!(client.ask("POST", "/json", &[FORM], b"{}").status, 415);
    let large = format!("[{}1]", "1, ".repeat(200_000));
    let reply = client.ask("POST", "/json", &[json], large.as_bytes());
    assert_eq!(reply.text(), large.replace(' ', ""));
}

#[test]
fn upper_and_lower_case_are_the_same_in_a_media_type() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let form = "Content-Type: Application/X-WWW-Form-Urlencoded";
    let json = "Content-Type: APPLICATION/JSON; charset=UTF-8";
    let multipart = "Content-Type: Multipart/Form-Data; Boundary=x";
    assert_eq!(client.ask("POST", "/form", &[form], b"a=1").text(), "a=1");
    assert_eq!(client.ask("POST", "/login", &[form], b"user=a&password=b").text(), "welcome");
    assert_eq!(client.ask("POST", "/json", &[json], b"[ 1 ]").text(), "[1]");
    assert_eq!(client.ask("PUT", "/documents/_doc/case", &[json], b"{}").status, 201);
    assert_eq!(client.ask("POST", "/multipart", &[multipart], b"--x--\r\n").status, 200);
}

#[test]
fn multipart_is_described_part_by_part() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let file = defined(200_000);
    let mut content = b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x\r\n\
        Content-Disposition: form-data; name=\"f\"; filename=\"b.bin\"\r\n\
        Content-Type: application/octet-stream\r\n\r\n"
        .to_vec();
    content.extend_from_slice(&file);
    content.extend_from_slice(b"\r\n--x--\r\n");
    let kind = "Content-Type: multipart/form-data; boundary=x";
    let reply = client.ask("POST", "/multipart", &[kind], &content);
    let expected = json!({"parts": [
        {"name": "a", "filename": null, "content_type": null, "bytes": 1, "sha256": sha256(b"1")},
        {"name": "f", "filename": "b.bin", "content_type": "application/octet-stream",
         "bytes": 200_000, "sha256": sha256(&file)},
    ]});
    assert_eq!(reply.json(), expected);
    assert_eq!(client.ask("POST", "/multipart", &[kind], b"--x\r\nnothing").status, 400);
    let no_boundary = "Content-Type: multipart/form-data";
    assert_eq!(client.ask("POST", "/multipart", &[no_boundary], b"--x--\r\n").status, 415);
}

#[test]
fn uploads_are_summed() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let content = defined(3_000_000);
    let expected = json!({"bytes": 3_000_000, "sha256": sha256(&content)});
    assert_eq!(client.ask("PUT", "/upload", &[], &content).json(), expected);
    assert_eq!(client.ask("POST", "/upload", &[], &content).json(), expected);
    let expected = json!({"bytes": 3_000_000});
    assert_eq!(client.ask("PUT", "/upload?digest=no", &[], &content).json(), expected);
    let expected = json!({"bytes": 0, "sha256": sha256(b"")});
    assert_eq!(client.ask("PUT", "/upload", &[], b"").json(), expected);
}

#[test]
fn a_chunked_upload_is_summed() {
    let origin = Origin::start();
    let mut client = origin.connect();
    client.send("PUT /upload HTTP/1.1\r\nHost: o\r\nTransfer-Encoding: chunked\r\n\r\n");
    client.send("3\r\nabc\r\n5;x=y\r\ndefgh\r\n0\r\nTrailer: t\r\n\r\n");
    assert_eq!(client.reply().json(), json!({"bytes": 8, "sha256": sha256(b"abcdefgh")}));
    assert_eq!(client.ask("GET", "/", &[], b"").text(), "Hi");
}

#[test]
fn a_login_opens_what_is_private() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let reply = client.ask("GET", "/private", &[], b"");
    assert_eq!(reply.status, 401);
    assert!(reply.field("www-authenticate").is_some());
    assert_eq!(client.ask("POST", "/login", &[FORM], b"user=a").status, 400);
    let reply = client.ask("POST", "/login", &[FORM], b"user=a&password=b");
    assert_eq!((reply.status, reply.text()), (200, "welcome"));
    let set_cookie = reply.field("set-cookie").unwrap();
    let (pair, attributes) = set_cookie.split_once("; ").unwrap();
    assert!(pair.starts_with("session="));
    assert_eq!(attributes, "Path=/; HttpOnly");
    let reply = client.ask("GET", "/private", &[&format!("Cookie: {pair}")], b"");
    assert_eq!((reply.status, reply.text()), (200, "private"));
    assert_eq!(client.ask("GET", "/private", &["Cookie: session=no"], b"").status, 401);
}

#[test]
fn documents_are_stored_and_told_back_verbatim() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let json = "Content-Type: application/json";
    let target = "/documents/_doc/a%2F1";
    let source = target.replace("_doc", "_source");
    let reply = client.ask("GET", target, &[], b"");
    assert_eq!((reply.status, reply.field("content-type")), (404, Some("application/json")));
    assert_eq!(reply.text(), r#"{"_index":"documents","_id":"a/1","found":false}"#);
    assert_eq!(client.ask("GET", &source, &[], b"").status, 404);

    let first = b" {\"b\": 1,\n\"a\": 2.50} ";
    let reply = client.ask("PUT", target, &[json], first);
    assert_eq!((reply.status, reply.field("content-type")), (201, Some("application/json")));
    let receipt = r#"{"_index":"documents","_id":"a/1","_version":1,"result":"created"}"#;
    assert_eq!(reply.text(), receipt);
    let reply = client.ask("GET", &source, &[], b"");
    assert_eq!((reply.status, reply.field("content-type")), (200, Some("application/json")));
    assert_eq!(reply.content, first);

    let large = document(1_000_000).unwrap();
    let reply = client.ask("PUT", target, &[json], &large);
    let receipt = r#"{"_index":"documents","_id":"a/1","_version":2,"result":"updated"}"#;
    assert_eq!((reply.status, reply.text()), (200, receipt));
    assert!(client.ask("GET", &source, &[], b"").content == large);
    let reply = client.ask("GET", target, &[], b"");
    let (about, rest) = reply.content.split_at(reply.content.len() - large.len() - 1);
    let described = r#"{"_index":"documents","_id":"a/1","_version":2,"found":true,"_source":"#;
    assert_eq!((reply.status, std::str::from_utf8(about).unwrap()), (200, described));
    assert!(rest == [&large[..], b"}"].concat());
    assert_eq!(client.ask("GET", "/documents/_doc/a", &[], b"").status, 404);
}

#[test]
fn only_json_documents_are_stored() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let json = "Content-Type: application/json";
    let target = "/documents/_doc/1";
    assert_eq!(client.ask("PUT", target, &[FORM], b"{}").status, 415);
    assert_eq!(client.ask("PUT", target, &[], b"{}").status, 415);
    let large = [&document(1_000_000).unwrap()[..], b"}"].concat();
    for wrong in [&b""[..], b"{", b"[]", b"{\"a\":\"\xff\"}", &large] {
        assert_eq!(client.ask("PUT", target, &[json], wrong).status, 400);
    }
    let nameless = format!("/documents/_doc/{}", "x".repeat(129));
    assert_eq!(client.ask("PUT", &nameless, &[json], b"{}").status, 400);
    assert_eq!(client.ask("GET", target, &[], b"").status, 404);
    let charset = "Content-Type: application/json; charset=utf-8";
    assert_eq!(client.ask("PUT", target, &[charset], b"{}").status, 201);
}

#[test]
fn chunks_have_the_size_asked_for() {
    let origin = Origin::start();
    let mut client = origin.connect();
    for (target, sizes) in
        [("/chunked/10000", vec![4096, 4096, 1808]), ("/chunked/10?chunk=4", vec![4, 4, 2])]
    {
        client.send(head("GET", target, &[], 0));
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.extend(client.take(1));
        }
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.contains("transfer-encoding: chunked"), "{answer}");
        assert!(!answer.contains("content-length"), "{answer}");
        let chunks = client.chunks();
        assert_eq!(chunks.iter().map(Vec::len).collect::<Vec<_>>(), sizes);
        assert_eq!(chunks.concat(), defined(sizes.iter().sum()));
    }
    assert_eq!(client.ask("GET", "/chunked/0", &[], b"").content, b"");
}

#[test]
fn gzip_where_it_is_accepted() {
    use std::io::Read as _;
    let origin = Origin::start();
    let mut client = origin.connect();
    for size in [64, 10_000, 400_000] {
        let target = format!("/gzip/{size}");
        let reply = client.ask("GET", &target, &["Accept-Encoding: br, gzip"], b"");
        assert_eq!(reply.field("content-encoding"), Some("gzip"));
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&reply.content[..]).read_to_end(&mut plain).unwrap();
        assert!(plain == document(size).unwrap(), "{size}");
        let reply = client.ask("GET", &target, &["Accept-Encoding: gzip;q=0"], b"");
        assert_eq!(reply.field("content-encoding"), None);
        assert!(reply.content == document(size).unwrap(), "{size}");
        assert_eq!(reply.field("vary"), Some("accept-encoding"));
    }
}

#[test]
fn other_codings_where_they_are_named() {
    use std::io::Read as _;
    let origin = Origin::start();
    let mut client = origin.connect();
    for size in [10_000, 400_000] {
        for coding in ["deflate", "br", "zstd"] {
            let target = format!("/{coding}/{size}");
            let accept = format!("Accept-Encoding: gzip, {coding}");
            let reply = client.ask("GET", &target, &[&accept], b"");
            assert_eq!(reply.field("content-encoding"), Some(coding));
            let packed = &reply.content[..];
            let mut decoder: Box<dyn std::io::Read + '_> = match coding {
                "deflate" => Box::new(flate2::read::ZlibDecoder::new(packed)),
                "br" => Box::new(brotli::Decompressor::new(packed, 4096)),
                _ => Box::new(zstd::Decoder::new(packed).unwrap()),
            };
            let mut plain = Vec::new();
            decoder.read_to_end(&mut plain).unwrap();
            assert!(plain == document(size).unwrap(), "{target}");
            let reply = client.ask("GET", &target, &["Accept-Encoding: gzip"], b"");
            assert_eq!(reply.field("content-encoding"), None);
            assert!(reply.content == document(size).unwrap(), "{target}");
        }
    }
}

#[test]
fn a_delay_is_waited() {
    let origin = Origin::start();
    let begun = Instant::now();
    assert_eq!(origin.get("/delay/60").text(), "Hi");
    assert!(begun.elapsed() >= Duration::from_millis(60));
}

#[test]
fn a_drip_comes_in_separate_writes() {
    let origin = Origin::start();
    let begun = Instant::now();
    let reply = origin.get("/drip/7?ms=20&size=2");
    assert!(begun.elapsed() >= Duration::from_millis(60));
    assert_eq!(reply.content, defined(7));
    assert_eq!(reply.field("content-length"), Some("7"));
}

#[test]
fn redirects_lead_home() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let mut target = "/redirect/2?status=307".to_owned();
    let mut seen = Vec::new();
    while target != "/" {
        let reply = client.ask("GET", &target, &[], b"");
        assert_eq!(reply.status, 307);
        target = reply.field("location").unwrap().to_owned();
        seen.push(target.clone());
    }
    assert_eq!(seen, ["/redirect/1?status=307", "/redirect/0?status=307", "/"]);
    assert_eq!(client.ask("GET", "/redirect/0", &[], b"").status, 302);
}

#[test]
fn redirects_lead_to_another_host() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let mut ask = |target: &str, host: &str| {
        client.send(format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        client.reply()
    };
    let reply = ask("/redirect/1?host=there", "here:81");
    assert_eq!(reply.status, 302);
    assert_eq!(reply.field("location"), Some("http://there:81/redirect/0?host=there"));
    let reply = ask("/redirect/0?host=there", "there:81");
    assert_eq!(reply.field("location"), Some("http://there:81/"));
    assert_eq!(ask("/redirect/1?host=a/b", "here").status, 400);
}

#[test]
fn any_status() {
    let origin = Origin::start();
    let mut client = origin.connect();
    for (code, text) in [(200, "Hi"), (204, ""), (304, ""), (404, "Hi"), (503, "Hi"), (299, "Hi")] {
        let reply = client.ask("GET", &format!("/status/{code}"), &[], b"");
        assert_eq!((reply.status, reply.text()), (code, text));
    }
    // RFC 9110, section 15.3.6.
    let reset = client.ask("GET", "/status/205", &[], b"");
    assert_eq!((reset.status, reset.field("content-length")), (205, Some("0")));
}

#[test]
fn a_field_that_is_needed() {
    let origin = Origin::start();
    let mut client = origin.connect();
    for (target, field, status) in [
        ("/need/x-one/yes", "X-One: yes", 200),
        ("/need/X-One/a%20b%2F%C3%A9", "x-one: a b/é", 200),
        ("/need/x-one/", "X-One:", 200),
        ("/need/x-one/yes", "X-One: yes, yes", 412),
        ("/need/x-one/yes", "X-Two: yes", 412),
        ("/need/x-one", "X-One: yes", 404),
        ("/need/@/yes", "X-One: yes", 404),
    ] {
        assert_eq!(client.ask("GET", target, &[field], b"").status, status, "{target} {field}");
    }
}

#[test]
fn a_truncated_answer_ends_half_way() {
    let origin = Origin::start();
    for length in [1, 2, 10, 5_000_000] {
        let mut client = origin.connect();
        client.send(head("GET", &format!("/truncate/{length}"), &[], 0));
        let all = client.rest();
        let end_of_head = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        let answer = String::from_utf8_lossy(&all[..end_of_head]);
        assert!(answer.contains(&format!("content-length: {length}\r\n")), "{answer}");
        assert!(all[end_of_head..] == defined(length / 2), "{length}");
    }
}

#[test]
fn a_truncated_chunked_answer_lacks_its_last_chunk_only() {
    let origin = Origin::start();
    let mut client = origin.connect();
    client.send(head("GET", "/truncate/9?chunk=5", &[], 0));
    let all = client.rest();
    let expected = [b"5\r\n", &defined(5)[..], b"\r\n4\r\n", &defined(9)[5..], b"\r\n"].concat();
    assert!(all.ends_with(&[b"\r\n\r\n", &expected[..]].concat()), "{all:?}");
}

#[test]
fn an_echo_tells_everything() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let reply =
        client.ask("PURGE", "/echo?a=%20", &["X-One: 1", "x-one: 2", "Y: \u{fc}"], b"hello");
    let expected = json!({
        "method": "PURGE", "target": "/echo?a=%20",
        "headers": [["host", "origin"], ["x-one", "1"], ["x-one", "2"], ["y", "\u{fc}"],
                    ["content-length", "5"]],
        "bytes": 5, "sha256": sha256(b"hello"),
    });
    assert_eq!(reply.json(), expected);
    assert_eq!(client.ask("OPTIONS", "/echo", &[], b"").json()["method"], "OPTIONS");
}

#[test]
fn head_is_get_without_content() {
    let origin = Origin::start();
    let mut client = origin.connect();
    client.ask("PUT", "/documents/_doc/1", &["Content-Type: application/json"], b"{}");
    for target in [
        "/",
        "/bytes/16",
        "/bytes/3000000",
        "/json/64",
        "/json/1000000",
        "/private",
        "/chunked/9",
        "/gzip/64",
        "/delay/1",
        "/drip/9",
        "/bytes/0",
        "/status/204",
        "/status/205",
        "/redirect/1",
        "/status/404",
        "/truncate/9",
        "/documents/_doc/1",
        "/documents/_source/1",
        "/documents/_doc/2",
        "/documents/_source/2",
        "/nowhere",
    ] {
        let answer = client.ask("HEAD", target, &[], b"");
        let mut other = origin.connect();
        other.send(head("GET", target, &[], 0));
        let full = other.reply_to("HEAD");
        assert_eq!(answer.status, full.status, "{target}");
        for name in ["content-type", "content-length", "location"] {
            assert_eq!(answer.field(name), full.field(name), "{target}");
        }
    }
    assert_eq!(origin.counters().connections, 22);
}

#[test]
fn wrong_methods_and_targets() {
    let origin = Origin::start();
    let mut client = origin.connect();
    for (method, target, status, allow) in [
        ("PUT", "/", 405, Some("GET, HEAD, POST")),
        ("POST", "/bytes/1", 405, Some("GET, HEAD")),
        ("GET", "/upload", 405, Some("PUT, POST")),
        ("GET", "/form", 405, Some("POST")),
        ("DELETE", "/json/64", 405, Some("GET, HEAD")),
        ("POST", "/documents/_doc/1", 405, Some("GET, HEAD, PUT")),
        ("PUT", "/documents/_source/1", 405, Some("GET, HEAD")),
        ("GET", "/nowhere", 404, None),
        ("OPTIONS", "*", 404, None),
        ("GET", "/bytes/x", 400, None),
        ("GET", "/json/63", 400, None),
        ("GET", "http://other/status/299", 299, None),
    ] {
        let reply = client.ask(method, target, &[], b"");
        assert_eq!((reply.status, reply.field("allow")), (status, allow), "{method} {target}");
    }
    let statuses: u64 = origin.counters().statuses.values().sum();
    assert_eq!(statuses, 12);
}
