//! Shared values and the world, opcodes F1 to F6 (spec 03-rooms).

#[cfg(feature = "alloc")]
mod duplicate_keys;
mod encode_entries;
mod entry;
mod state_set;
mod state_snapshot;
mod state_update;
mod world_load;
mod world_save;
mod world_save_ack;

pub use entry::{Entries, Entry};
pub use state_set::StateSet;
pub use state_snapshot::StateSnapshot;
pub use state_update::StateUpdate;
pub use world_load::WorldLoad;
pub use world_save::WorldSave;
pub use world_save_ack::WorldSaveAck;
