//! The open connections of one listener.

use std::cell::RefCell;
use std::collections::HashMap;
use std::os::fd::RawFd;
use std::rc::Rc;

use crate::ledger::events::Record;
use crate::ledger::tcp_info::TcpInfo;

/// The records of all open connections, by their sockets.
#[derive(Debug, Default)]
pub struct Connections(RefCell<HashMap<RawFd, Rc<Record>>>);

impl Connections {
    pub fn insert(&self, socket: RawFd, record: Rc<Record>) {
        self.0.borrow_mut().insert(socket, record);
    }

    pub fn remove(&self, socket: RawFd) {
        self.0.borrow_mut().remove(&socket);
    }

    /// A copy of the list: it can be walked while connections end.
    pub fn all(&self) -> Vec<Rc<Record>> {
        self.0.borrow().values().cloned().collect()
    }

    /// The kernel's account of each connection.
    pub fn tcp_info(&self) -> Vec<TcpInfo> {
        self.0.borrow().values().map(|record| record.tcp_info()).collect()
    }
}
