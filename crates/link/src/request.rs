//! Requests to the kernel about one device (`struct ifreq`).

#![allow(unsafe_code)]

use libc::{c_char, ifreq};

/// A request that names a device and says nothing else yet.
pub fn about(device: &str) -> ifreq {
    debug_assert!(device.len() < libc::IFNAMSIZ);
    // SAFETY: all-zero bytes are a valid `ifreq`.
    let mut request: ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(device.bytes()) {
        *to = c_char::from_ne_bytes([from]);
    }
    request
}
