//! JSON lines on standard input and output.

use std::io::{self, BufRead, Read as _, Write as _};
use std::thread;

use tokio::sync::mpsc;

/// The longest line that is read as a request.
const LINE_BYTES: u64 = 64 << 10;

/// A line, or why it cannot be one.
pub type Line = Result<Vec<u8>, &'static str>;

/// The harness at the other end.
#[derive(Debug)]
pub struct Channel {
    lines: mpsc::Receiver<Line>,
}

impl Channel {
    /// Reads standard input on a thread of its own, which blocks there without any cost.
    pub fn open() -> Self {
        let (sender, lines) = mpsc::channel(1);
        thread::spawn(move || {
            let mut input = io::stdin().lock();
            while let Some(line) = next_line(&mut input) {
                if sender.blocking_send(line).is_err() {
                    break;
                }
            }
        });
        Self { lines }
    }

    /// The next line, or `None` at the end of the input.
    pub async fn next(&mut self) -> Option<Line> {
        self.lines.recv().await
    }
}

/// Writes one line to standard output.
pub fn say(message: &impl serde::Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = io::stdout().lock();
    output.write_all(&line)?;
    output.flush()
}

fn next_line(input: &mut impl BufRead) -> Option<Line> {
    let mut line = Vec::new();
    match input.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) if line.ends_with(b"\n") || (line.len() as u64) < LINE_BYTES => Some(Ok(line)),
        Ok(_) => {
            input.skip_until(b'\n').ok()?;
            Some(Err("the line is too long"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_the_last_needs_no_end() {
        let long = "x".repeat(LINE_BYTES as usize);
        let input = format!("one\n{long}\ntwo");
        let mut input = input.as_bytes();
        assert_eq!(next_line(&mut input), Some(Ok(b"one\n".to_vec())));
        assert_eq!(next_line(&mut input), Some(Err("the line is too long")));
        assert_eq!(next_line(&mut input), Some(Ok(b"two".to_vec())));
        assert_eq!(next_line(&mut input), None);
    }
}
