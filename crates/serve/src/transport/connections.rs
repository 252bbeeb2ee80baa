//! The connections of one listener that are open now.

use std::cell::RefCell;
use std::collections::HashMap;
use std::os::fd::RawFd;
use std::rc::Rc;

use crate::ledger::events::Record;
use crate::ledger::tcp_info::TcpInfo;

/// Open connections, by their sockets.
#[derive(Debug, Default)]
pub struct Connections(RefCell<HashMap<RawFd, Rc<Record>>>);

impl Connections {
    pub fn insert(&self, socket: RawFd, record: Rc<Record>) {
        self.0.borrow_mut().insert(socket, record);
    }

    pub fn remove(&self, socket: RawFd) {
        self.0.borrow_mut().remove(&socket);
    }

    /// A list of its own: ending a connection changes the collection.
    pub fn all(&self) -> Vec<Rc<Record>> {
        self.0.borrow().values().cloned().collect()
    }

    /// What the kernel knows about each.
    pub fn tcp_info(&self) -> Vec<TcpInfo> {
        self.0.borrow().values().map(|record| record.tcp_info()).collect()
    }
}
