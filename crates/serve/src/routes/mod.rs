//! What the origin answers: from a request's target and method to a route, and from a route to its
//! answer. The routes are those of the table in docs/origin.md. Nothing here depends on the version
//! of HTTP or on the transport.

pub mod answers;
mod echo;
pub mod forms;
mod login;
mod multipart;
mod redirect;
pub mod resources;
pub mod route;
mod store;
