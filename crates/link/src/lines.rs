//! JSON lines on standard input and output.

use std::io::{self, BufRead, Read as _, Write as _};

/// The longest line that is read as a request.
const LINE_BYTES: u64 = 64 << 10;

/// A line, or why it cannot be one; `None` at the end of the input.
pub fn next(input: &mut impl BufRead) -> Option<Result<Vec<u8>, &'static str>> {
    let mut line = Vec::new();
    let bytes = input.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line).ok()?;
    if bytes == 0 {
        return None;
    }
    if line.ends_with(b"\n") || (line.len() as u64) < LINE_BYTES {
        return Some(Ok(line));
    }
    input.skip_until(b'\n').ok()?;
    Some(Err("the line is too long"))
}

/// Writes one line to standard output.
pub fn say(message: &impl serde::Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = io::stdout().lock();
    output.write_all(&line)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_skipped_whole() {
        let input = format!("{}\nshort", "x".repeat(LINE_BYTES as usize));
        let mut input = input.as_bytes();
        assert_eq!(next(&mut input), Some(Err("the line is too long")));
        assert_eq!(next(&mut input), Some(Ok(b"short".to_vec())));
        assert_eq!(next(&mut input), None);
    }
}
