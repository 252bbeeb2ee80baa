use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::Result;
use crate::settings::{Settings, Sink};

/// Where a response goes: it takes the content as the sink wants it, and checks it.
///
/// Content comes whole ([`Answer::whole`]), from a reader ([`Answer::read`]), or in pieces that are
/// written here, followed by [`Answer::end`].
#[derive(Default)]
pub struct Answer {
    expect: Expect,
    sink: Sink,
    path: PathBuf,
    buffer: Vec<u8>,
    content: Vec<u8>,
    file: Option<File>,
    hasher: Option<Sha256>,
    pub(crate) length: u64,
    pub(crate) sha256: String,
    pub(crate) parsing: Duration,
}

#[derive(Clone, Default, Deserialize)]
pub(crate) struct Expect {
    status: u16,
    bytes: Option<u64>,
    json: Option<(String, String)>,
}

impl Answer {
    pub(crate) fn new(expect: Expect, settings: &Settings, path: PathBuf) -> Self {
        let buffer = vec![0; settings.read_size.unwrap_or(0)];
        Self { expect, sink: settings.sink, path, buffer, ..Self::default() }
    }

    pub(crate) fn begin(&mut self, digesting: bool) {
        self.content.clear();
        self.file = None;
        self.hasher = digesting.then(Sha256::new);
        self.length = 0;
        self.sha256.clear();
        self.parsing = Duration::ZERO;
    }

    /// Whether the content is to be read piece by piece, and not whole into memory.
    pub fn is_streamed(&self) -> bool {
        matches!(self.sink, Sink::Discard | Sink::File)
    }

    /// Content that the library has put into memory.
    pub fn whole(&mut self, status: u16, content: &[u8]) -> Result<()> {
        if self.is_streamed() {
            self.write_all(content)?;
            return self.end(status);
        }
        self.count(content);
        self.close(status)?;
        self.check_document(content)
    }

    /// Content to be read to its end.
    pub fn read(&mut self, status: u16, mut content: impl Read) -> Result<()> {
        if self.buffer.is_empty() {
            io::copy(&mut content, self)?;
        } else {
            let mut buffer = std::mem::take(&mut self.buffer);
            let copied = self.copy(content, &mut buffer);
            self.buffer = buffer;
            copied?;
        }
        self.end(status)
    }

    /// After the last piece.
    pub fn end(&mut self, status: u16) -> Result<()> {
        if self.sink == Sink::File {
            self.file()?; // an empty one, if nothing came
        }
        self.close(status)?;
        let content = std::mem::take(&mut self.content);
        let checked = self.check_document(&content);
        self.content = content; // the next answer's memory
        checked
    }

    fn copy(&mut self, mut content: impl Read, buffer: &mut [u8]) -> io::Result<()> {
        loop {
            match content.read(buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => self.write_all(&buffer[..length])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn count(&mut self, piece: &[u8]) {
        self.length += piece.len() as u64;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(piece);
        }
    }

    fn file(&mut self) -> io::Result<&mut File> {
        if self.file.is_none() {
            self.file = Some(File::create(&self.path)?);
        }
        self.file.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn close(&mut self, status: u16) -> Result<()> {
        self.file = None;
        if let Some(hasher) = self.hasher.take() {
            self.sha256 = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        }
        if status != self.expect.status {
            return Err(format!("status {status}, expected {}", self.expect.status).into());
        }
        match self.expect.bytes {
            Some(bytes) if bytes != self.length => {
                Err(format!("{} bytes of content, expected {bytes}", self.length).into())
            }
            _ => Ok(()),
        }
    }

    fn check_document(&mut self, content: &[u8]) -> Result<()> {
        if self.sink != Sink::Json {
            return Ok(());
        }
        let start = Instant::now();
        let parsed: serde_json::Result<Value> = serde_json::from_slice(content);
        self.parsing = start.elapsed();
        let document = parsed?;
        match &self.expect.json {
            Some((name, value)) if document[name] != value.as_str() => {
                Err(format!("member {name} is {}, expected {value}", document[name]).into())
            }
            _ => Ok(()),
        }
    }
}

impl Write for Answer {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.count(piece);
        match self.sink {
            Sink::Buffer | Sink::Json => self.content.extend_from_slice(piece),
            Sink::File => self.file()?.write_all(piece)?,
            Sink::Discard => {}
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
