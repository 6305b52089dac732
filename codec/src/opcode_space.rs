//! What the first byte of a message means (spec 02-primitives, "The opcode space").

use crate::registry::{OPCODES, sys};

/// Godot never sets this bit in the first byte of a packet, so opcodes beyond the six old ones have it set.
const OPCODE_BIT: u8 = 1 << 3;

/// Whom a first byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstByte {
    /// An opcode of this version.
    Opcode,
    /// An opcode that this version does not have (OP-SPACE-2).
    Unassigned,
    /// A Godot SYS packet.
    Sys,
    /// Any other Godot packet.
    Godot,
}

impl FirstByte {
    /// Sorts `byte`.
    pub(crate) const fn of(byte: u8) -> Self {
        if is_sys(byte) {
            Self::Sys
        } else if is_opcode(byte) {
            Self::Opcode
        } else if byte & OPCODE_BIT != 0 {
            Self::Unassigned
        } else {
            Self::Godot
        }
    }
}

/// Whether `byte` begins a SYS packet.
#[inline(always)]
pub(crate) const fn is_sys(byte: u8) -> bool {
    byte & sys::LEAD_MASK == sys::LEAD_LOW_BITS
}

const fn is_opcode(byte: u8) -> bool {
    let mut rows = OPCODES;
    while let [row, rest @ ..] = rows {
        if row.code == byte {
            return true;
        }
        rows = rest;
    }
    false
}

/// No opcode may look like a SYS packet, and a decoder that knows it must not take it for Godot's.
const _: () = {
    let mut rows = OPCODES;
    while let [row, rest @ ..] = rows {
        assert!(
            row.code & sys::LEAD_MASK != sys::LEAD_LOW_BITS,
            "an opcode of the registry looks like a SYS packet"
        );
        rows = rest;
    }
};

#[cfg(test)]
mod tests {
    use super::FirstByte;

    /// The spec counts them: 106 first bytes are left for Godot's other packets, and so for peer ids.
    #[test]
    fn every_byte_belongs_to_someone() {
        let count = |kind| (0..=u8::MAX).filter(|&byte| FirstByte::of(byte) == kind).count();
        assert_eq!(count(FirstByte::Opcode), 6);
        assert_eq!(count(FirstByte::Unassigned), 112);
        assert_eq!(count(FirstByte::Sys), 32);
        assert_eq!(count(FirstByte::Godot), 106);
    }

    #[test]
    fn upper_bits_do_not_matter_to_a_sys_packet() {
        for byte in [0x07, 0x0F, 0x17, 0xF7, 0xFF] {
            assert_eq!(FirstByte::of(byte), FirstByte::Sys, "{byte:02x}");
        }
    }
}
