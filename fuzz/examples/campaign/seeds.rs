//! Corpora and a dictionary from the golden frames.

use std::fs;
use std::path::Path;

use roomwire_codec::registry::{OPCODES, sys};

use crate::golden;

pub(crate) fn write(dir: &Path) -> usize {
    let seeds = golden::seeds();
    let decode = dir.join("decode");
    fs::create_dir_all(&decode).unwrap();
    for (id, data) in &seeds {
        fs::write(decode.join(id), data).unwrap();
    }
    // What the bytes mean to this target is up to `arbitrary`; sequences of every length are a beginning.
    let (room, mut rng) = (dir.join("room"), fastrand::Rng::with_seed(1));
    fs::create_dir_all(&room).unwrap();
    for number in 0..64 {
        let data: Vec<u8> = (0..number * 16).map(|_| rng.u8(..)).collect();
        fs::write(room.join(format!("{number:02}")), data).unwrap();
    }
    let words = words();
    fs::write(dir.join("roomwire.dict"), words.join("\n") + "\n").unwrap();
    println!("{} golden frames, 64 sequences and {} words in {}", seeds.len(), words.len(), dir.display());
    0
}

/// Opcodes, commands, and numbers at whose edges frames change.
fn words() -> Vec<String> {
    let word = |bytes: &[u8]| {
        let hex: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
        format!("\"{hex}\"")
    };
    let mut words: Vec<_> = OPCODES.iter().map(|row| word(&[row.code])).collect();
    words.extend([sys::ADD_PEER, sys::DEL_PEER, sys::RELAY].map(|command| word(&[sys::LEAD, command])));
    words.extend([0u16, 1, 1023, 1024, 1025, u16::MAX].map(|len| word(&len.to_le_bytes())));
    words.extend([0u32, 1, 0x7FFF_FFFF, 0x8000_0000, u32::MAX].map(|number| word(&number.to_le_bytes())));
    // Text that is one byte from not being UTF-8, and the other way round.
    words.extend(["\u{7FF}", "\u{FFFF}", "\u{10FFFF}"].map(|text| word(text.as_bytes())));
    words.extend([&[0xC0, 0x80][..], &[0xED, 0xA0, 0x80], &[0xF4, 0x90, 0x80, 0x80]].map(word));
    words
}
