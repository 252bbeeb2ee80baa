//! The content of requests and answers: bodies and documents that are deterministic, content
//! codings, request content that is counted and hashed while it is read, and refusals. Large
//! content is kept in memory files, so that the kernel can send it without copying it.

pub mod bodies;
pub mod coding;
pub mod documents;
pub mod memory;
mod pipe;
pub mod refusal;
pub mod request;
pub mod response;
pub mod shared_file;
