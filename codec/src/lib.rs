//! The Roomwire wire format: decode and encode, no_std, zero-copy.
