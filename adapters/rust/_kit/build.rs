//! Tells the kit which compiler builds it.

use std::process::Command;

fn main() {
    let rustc = std::env::var_os("RUSTC").expect("Cargo names the compiler");
    let output = Command::new(rustc).arg("--version").output().expect("the compiler runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split(' ').nth(1).expect("rustc VERSION (COMMIT DATE)");
    println!("cargo::rustc-env=FETCHOFF_RUST={version}");
    println!("cargo::rerun-if-changed=build.rs");
}
