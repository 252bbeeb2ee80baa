//! ioctl requests about one network device (`struct ifreq`).

#![allow(unsafe_code)]

use libc::{c_char, ifreq};

/// A request that names the device; all other fields are zero.
pub fn about(device: &str) -> ifreq {
    debug_assert!(device.len() < libc::IFNAMSIZ);
    // SAFETY: all-zero bytes are a valid `ifreq`.
    let mut request: ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(device.bytes()) {
        *to = c_char::from_ne_bytes([from]);
    }
    request
}
