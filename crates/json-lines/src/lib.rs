//! JSON lines over standard input and output: the control channel between the harness and a
//! process.
//!
//! The harness writes one request a line, the process one answer a line. [`read`] blocks until a
//! line is there; [`Channel`] is for processes that have other work meanwhile.

use std::io::{self, BufRead, Read as _, Write as _};
use std::thread;

use tokio::sync::mpsc;

/// The longest line that is read as a request.
const LINE_BYTES: u64 = 64 << 10;

/// A line, or why it was refused.
pub type Line = Result<Vec<u8>, &'static str>;

/// Lines of standard input, read on a thread.
#[derive(Debug)]
pub struct Channel {
    lines: mpsc::Receiver<Line>,
}

impl Channel {
    /// Starts the thread. While no line comes it is blocked, which costs nothing.
    pub fn open() -> Self {
        let (sender, lines) = mpsc::channel(1);
        thread::spawn(move || {
            let mut input = io::stdin().lock();
            while let Some(line) = read(&mut input) {
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

/// The next line, or `None` at the end of the input. A line that is too long is skipped whole.
pub fn read(input: &mut impl BufRead) -> Option<Line> {
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

/// Greets, and answers line by line until the input ends.
pub fn serve<Answer: serde::Serialize>(
    greeting: &impl serde::Serialize,
    mut answer: impl FnMut(Line) -> Answer,
) -> io::Result<()> {
    write(greeting)?;
    let mut input = io::stdin().lock();
    while let Some(line) = read(&mut input) {
        write(&answer(line))?;
    }
    Ok(())
}

/// Writes one line to standard output.
pub fn write(message: &impl serde::Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = io::stdout().lock();
    output.write_all(&line)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut input: &[u8]) -> Vec<Line> {
        std::iter::from_fn(|| read(&mut input)).collect()
    }

    #[test]
    fn the_last_line_needs_no_end() {
        assert_eq!(lines(b"one\ntwo"), [Ok(b"one\n".to_vec()), Ok(b"two".to_vec())]);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_whole() {
        let long = "x".repeat(LINE_BYTES as usize);
        let expected = [Ok(b"one\n".to_vec()), Err("the line is too long"), Ok(b"two\n".to_vec())];
        assert_eq!(lines(format!("one\n{long}\ntwo\n").as_bytes()), expected);
    }

    #[test]
    fn a_line_of_the_greatest_length_is_read() {
        let longest = "x".repeat(LINE_BYTES as usize - 1) + "\n";
        assert_eq!(lines(longest.as_bytes()), [Ok(longest.into_bytes())]);
    }
}
