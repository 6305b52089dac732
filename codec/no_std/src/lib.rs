//! The codec in C's hands, with no std and no memory of its own.
#![no_std]

use core::panic::PanicInfo;

use roomwire_codec::{Direction, Frame, StateUpdate, decode};

/// Were std linked in, there would be two of these, and nothing would link.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    #[cfg(target_arch = "wasm32")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    {
        unsafe extern "C" {
            safe fn abort() -> !;
        }
        abort()
    }
}

/// Turns a STATE_SET of a member into the STATE_UPDATE for everyone.
///
/// Returns the length of the update, or -1 if the message is no STATE_SET, or -2 if `out` is too short.
///
/// # Safety
///
/// `message` and `out` point to `message_len` and `out_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn roomwire_update_of_set(
    message: *const u8,
    message_len: usize,
    rev: u32,
    out: *mut u8,
    out_len: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let (message, out) = unsafe {
        (core::slice::from_raw_parts(message, message_len), core::slice::from_raw_parts_mut(out, out_len))
    };
    match decode(Direction::ToRelay, message) {
        Ok(Frame::StateSet(set)) => match (StateUpdate { rev, key: set.key, value: set.value }).encode(out) {
            Ok(len) => i32::try_from(len).unwrap_or(-2),
            Err(_) => -2,
        },
        _ => -1,
    }
}

/// Decodes a message to a client: the number of its entries if it is a snapshot, 0 if it is any other frame, or -1 - the offset of the
/// field at fault.
///
/// # Safety
///
/// `message` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn roomwire_check(message: *const u8, len: usize) -> i32 {
    // SAFETY: the caller's promise.
    let message = unsafe { core::slice::from_raw_parts(message, len) };
    match decode(Direction::ToClient, message) {
        Ok(Frame::StateSnapshot(snapshot)) => {
            let keys: usize = snapshot.iter().map(|entry| entry.key.len()).sum();
            if keys == 0 { 0 } else { snapshot.len() as i32 }
        }
        Ok(_) => 0,
        Err(error) => -1 - error.offset as i32,
    }
}

/// Room for the bytes that a WebAssembly host hands over.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
pub static mut ROOMWIRE_BUFFER: [u8; 64] = [0; 64];
