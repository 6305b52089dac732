//! Rendering.
mod codec;
mod text;
pub use codec::codec;
