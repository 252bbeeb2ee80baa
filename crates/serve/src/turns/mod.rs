//! Turns: clients that are measured together are let through one at a time, and what each turn cost
//! is read from clocks. A gate holds the requests of one listener; the schedule gives turns to
//! gates; the CPU clocks of processes are read from outside; probes show how fast the core is.

pub mod cpu_clock;
pub mod gate;
mod probe;
pub mod schedule;
