//! Corpora and a dictionary from the golden frames.

use std::path::Path;
use std::{fs, io};

use roomwire_codec::registry::{OPCODES, sys};

use crate::golden;

pub(crate) fn write(dir: &Path) -> Result<usize, String> {
    write_all(dir).map(|()| 0).map_err(|error| format!("{}: {error}", dir.display()))
}

fn write_all(dir: &Path) -> io::Result<()> {
    let seeds = golden::seeds();
    let decode = dir.join("decode");
    fs::create_dir_all(&decode)?;
    for (id, data) in &seeds {
        fs::write(decode.join(id), data)?;
    }
    // What the bytes mean to these targets is up to `arbitrary`; sequences of every length are a beginning.
    let mut rng = fastrand::Rng::with_seed(1);
    for target in ["room", "backlog"] {
        let target = dir.join(target);
        fs::create_dir_all(&target)?;
        for number in 0..64 {
            let data: Vec<u8> = (0..number * 16).map(|_| rng.u8(..)).collect();
            fs::write(target.join(format!("{number:02}")), data)?;
        }
    }
    let words = words();
    fs::write(dir.join("roomwire.dict"), words.join("\n") + "\n")?;
    println!(
        "{} golden frames, 2 x 64 sequences and {} words in {}",
        seeds.len(),
        words.len(),
        dir.display()
    );
    Ok(())
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
