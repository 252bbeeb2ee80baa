//! What all listeners of a process share.

use std::cell::OnceCell;
use std::net::IpAddr;
use std::rc::Rc;

use crate::limits::Limits;
use crate::routes::resources::Resources;
use crate::transport::authority::Authority;

/// The resources that answer requests, and the certificate authority.
#[derive(Debug)]
pub struct Site {
    pub(crate) resources: Rc<Resources>,
    authority: OnceCell<Authority>,
}

impl Site {
    /// Makes a site with these limits.
    pub fn new(limits: Limits) -> Rc<Self> {
        Rc::new(Self { resources: Rc::new(Resources::new(limits)), authority: OnceCell::new() })
    }

    /// The authority of this process. It is made for the first listener that needs it, and for that
    /// listener's address.
    pub(crate) fn authority(&self, address: IpAddr) -> Result<&Authority, rcgen::Error> {
        match self.authority.get() {
            Some(authority) => Ok(authority),
            None => {
                Authority::new(address).map(|authority| self.authority.get_or_init(|| authority))
            }
        }
    }
}
