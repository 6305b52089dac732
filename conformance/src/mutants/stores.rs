//! Stores that lie.

use roomwire_relay::store::SqliteStore;
use roomwire_relay::store::Store;

/// Builds a fault in front of a store.
///
/// # Errors
/// A text if there is no such fault.
pub fn wrap(fault: &str, store: SqliteStore) -> Result<Box<dyn Store>, String> {
    let _ = store;
    Err(format!("there is no fault {fault}"))
}
