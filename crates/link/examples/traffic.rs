//! Traffic for the tests and for benches/link: each end of a link runs one of these.
//!
//! Every command first prints a line when it is ready, and its result when it is done.

use std::collections::BTreeSet;
use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::sockopt;

type Outcome = Result<(), Box<dyn Error>>;

/// After this much silence no more packets are expected.
const SILENCE: Duration = Duration::from_millis(400);
/// After this many packets the sender pauses, so that the receiver's buffer does not overflow.
const FLIGHT: u32 = 25;
const PAUSE: Duration = Duration::from_millis(2);
const CHUNK: usize = 64 << 10;
/// How long a sender may take to find the rate of the path.
const START: Duration = Duration::from_secs(1);
/// The content of a packet of a stream.
const STREAMED: usize = 1200;
/// Like `SILENCE`, for a stream: beside other traffic its packets may take longer.
const STREAM_SILENCE: Duration = Duration::from_secs(3);

fn main() -> Outcome {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["echo", address] => echo(address.parse()?),
        ["ping", address, packets] => ping(address.parse()?, packets.parse()?),
        ["collect", address] => collect(address.parse()?),
        ["number", address, packets] => number(address.parse()?, packets.parse()?),
        ["sink", address] => sink(address.parse()?),
        ["pour", address, bytes] => pour(address.parse()?, bytes.parse()?),
        ["drain", address] => drain(address.parse()?),
        ["flood", address, seconds] => flood(address.parse()?, seconds.parse()?),
        ["follow", address] => follow(address.parse()?),
        ["stream", address, seconds, rate] => {
            stream(address.parse()?, seconds.parse()?, rate.parse()?)
        }
        ["devices"] => devices(),
        ["buffers", bytes] => buffers(bytes.parse()?),
        _ => Err(concat!(
            "echo | ping | collect | number | sink | pour | drain | flood | follow | stream",
            " | devices | buffers"
        )
        .into()),
    }
}

fn say(words: &str) {
    let mut output = io::stdout().lock();
    // The reader may be gone.
    let _ = writeln!(output, "{words}").and_then(|()| output.flush());
}

fn echo(address: SocketAddr) -> Outcome {
    let socket = UdpSocket::bind(address)?;
    say("ready");
    let mut packet = [0; 2048];
    loop {
        let (bytes, from) = socket.recv_from(&mut packet)?;
        socket.send_to(&packet[..bytes], from)?;
    }
}

/// Prints the round-trip times in microseconds; `-` for packets that did not come back.
fn ping(address: SocketAddr, packets: u32) -> Outcome {
    let any = if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let socket = UdpSocket::bind(any)?;
    socket.connect(address)?;
    socket.set_read_timeout(Some(SILENCE))?;
    say("ready");
    let mut times = Vec::new();
    for _ in 0..packets {
        let sent = Instant::now();
        socket.send(b"ping")?;
        times.push(match socket.recv(&mut [0; 16]) {
            Ok(_) => sent.elapsed().as_micros().to_string(),
            Err(_) => "-".to_owned(),
        });
    }
    say(&times.join(" "));
    Ok(())
}

/// Prints the numbers of the packets that arrive, until there is silence after the first.
fn collect(address: SocketAddr) -> Outcome {
    let socket = UdpSocket::bind(address)?;
    say("ready");
    let mut numbers = Vec::new();
    let mut packet = [0; 4];
    while let Ok(4) = socket.recv(&mut packet) {
        numbers.push(u32::from_be_bytes(packet));
        socket.set_read_timeout(Some(SILENCE))?;
    }
    let distinct: BTreeSet<u32> = numbers.iter().copied().collect();
    if !distinct.iter().eq(&numbers) {
        return Err("packets came twice or in another order".into());
    }
    say(&numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
    Ok(())
}

fn number(address: SocketAddr, packets: u32) -> Outcome {
    let any = if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let socket = UdpSocket::bind(any)?;
    say("ready");
    for number in 0..packets {
        socket.send_to(&number.to_be_bytes(), address)?;
        if number % FLIGHT == 0 {
            thread::sleep(PAUSE);
        }
    }
    say("sent");
    Ok(())
}

/// The byte at a position. It shows if bytes are missing or in another place.
fn byte_at(position: usize) -> u8 {
    (position % 251) as u8
}

fn sink(address: SocketAddr) -> Outcome {
    let listener = TcpListener::bind(address)?;
    say("ready");
    let (mut stream, _) = listener.accept()?;
    let (mut chunk, mut total) = (vec![0; CHUNK], 0);
    loop {
        let bytes = stream.read(&mut chunk)?;
        if bytes == 0 {
            break;
        }
        if !chunk[..bytes].iter().enumerate().all(|(at, byte)| *byte == byte_at(total + at)) {
            return Err(format!("other bytes came after {total}").into());
        }
        total += bytes;
    }
    say(&total.to_string());
    Ok(())
}

/// Prints the congestion control of the connection.
fn pour(address: SocketAddr, bytes: usize) -> Outcome {
    let mut stream = TcpStream::connect(address)?;
    say("ready");
    let content: Vec<u8> = (0..bytes).map(byte_at).collect();
    stream.write_all(&content)?;
    say(&sockopt::tcp_congestion(&stream)?);
    Ok(())
}

/// Prints how many bytes arrived and how many nanoseconds they took, the start excepted.
fn drain(address: SocketAddr) -> Outcome {
    let listener = TcpListener::bind(address)?;
    say("ready");
    let (mut stream, _) = listener.accept()?;
    let mut chunk = vec![0; 4 * CHUNK];
    let started = Instant::now();
    while started.elapsed() < START && stream.read(&mut chunk)? > 0 {}
    let (steady, mut total, mut last) = (Instant::now(), 0, Duration::ZERO);
    loop {
        let bytes = stream.read(&mut chunk)?;
        if bytes == 0 {
            break;
        }
        total += bytes;
        last = steady.elapsed();
    }
    say(&format!("{total} {}", last.as_nanos()));
    Ok(())
}

fn flood(address: SocketAddr, seconds: u64) -> Outcome {
    let mut stream = TcpStream::connect(address)?;
    say("ready");
    let (started, chunk) = (Instant::now(), vec![7; 2 * CHUNK]);
    while started.elapsed() < Duration::from_secs(seconds) {
        stream.write_all(&chunk)?;
    }
    say("sent");
    Ok(())
}

/// Prints how many numbered packets arrived, and how many of them after one with the same or a
/// higher number.
fn follow(address: SocketAddr) -> Outcome {
    let socket = UdpSocket::bind(address)?;
    say("ready");
    let (mut came, mut misplaced, mut highest) = (0_u64, 0_u64, None);
    let mut packet = [0; STREAMED];
    while let Ok(STREAMED) = socket.recv(&mut packet) {
        let number = u64::from_be_bytes(*packet.first_chunk().ok_or("too short")?);
        came += 1;
        misplaced += u64::from(highest.is_some_and(|highest| number <= highest));
        highest = highest.max(Some(number));
        socket.set_read_timeout(Some(STREAM_SILENCE))?;
    }
    say(&format!("{came} {misplaced}"));
    Ok(())
}

/// Sends numbered packets at an even rate, and prints how many there were.
fn stream(address: SocketAddr, seconds: u64, rate: u32) -> Outcome {
    let any = if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let socket = UdpSocket::bind(any)?;
    say("ready");
    let (started, gap) = (Instant::now(), Duration::from_secs(1) / rate);
    let mut packet = [0; STREAMED];
    for number in 0..seconds * u64::from(rate) {
        let due = Duration::from_nanos(gap.as_nanos() as u64 * number);
        thread::sleep(due.saturating_sub(started.elapsed()));
        packet[..size_of::<u64>()].copy_from_slice(&number.to_be_bytes());
        socket.send_to(&packet, address)?;
    }
    say(&(seconds * u64::from(rate)).to_string());
    Ok(())
}

/// Prints the devices of the namespace for every line of input.
fn devices() -> Outcome {
    say("ready");
    for line in io::stdin().lock().lines() {
        line?;
        let table = fs::read_to_string("/proc/net/dev")?;
        let names: Vec<&str> =
            table.lines().filter_map(|line| Some(line.split_once(':')?.0.trim())).collect();
        say(&names.join(" "));
    }
    Ok(())
}

/// Downloads from itself over the loopback, by a slow reader; prints the size of its receive buffer
/// before and after.
fn buffers(bytes: usize) -> Outcome {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut reader = TcpStream::connect(listener.local_addr()?)?;
    let (mut writer, _) = listener.accept()?;
    let before = sockopt::socket_recv_buffer_size(&reader)?;
    let pouring = thread::spawn(move || writer.write_all(&vec![0; bytes]));
    say("ready");
    let (mut left, mut chunk) = (bytes, vec![0; CHUNK]);
    while left > 0 {
        left -= reader.read(&mut chunk)?.min(left);
        thread::sleep(PAUSE);
    }
    pouring.join().map_err(|_| "the writer panicked")??;
    say(&format!("{before} {}", sockopt::socket_recv_buffer_size(&reader)?));
    Ok(())
}
