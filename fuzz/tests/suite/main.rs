//! The bodies of the fuzz targets, on stable: over the golden frames, over changes of these, and over random bytes, each with a
//! fixed seed.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by a panic")]

mod backlog;
mod golden;
mod planted;
mod room;

use fastrand::Rng;
use golden::seeds;
use roomwire_fuzz::{decode, round_trip};

#[test]
fn decode_over_golden_frames_each_way() {
    for (_, mut data) in seeds() {
        for way in 0..3 {
            data[0] = way;
            decode(&data);
        }
    }
    decode(b"");
}

#[test]
fn decode_over_changed_golden_frames() {
    let seeds = seeds();
    let mut rng = Rng::with_seed(1);
    for _ in 0..60_000 {
        let (_, seed) = rng.choice(&seeds).unwrap();
        let mut data = seed.clone();
        for _ in 0..rng.usize(1..4) {
            change(&mut rng, &mut data, &seeds);
        }
        decode(&data);
    }
}

#[test]
fn decode_over_random_bytes() {
    let mut rng = Rng::with_seed(2);
    for _ in 0..60_000 {
        let mut data = vec![0; rng.usize(0..40)];
        // Small numbers make counts and lengths that fit.
        let most = rng.choice([1, 4, 16, u8::MAX]).unwrap();
        data.iter_mut().for_each(|byte| *byte = rng.u8(0..=most));
        if let [_, first, ..] = &mut *data {
            *first = rng.u8(0xF1..=0xF7);
        }
        decode(&data);
    }
}

#[test]
fn round_trip_over_random_bytes() {
    let mut rng = Rng::with_seed(3);
    for _ in 0..60_000 {
        let mut data = vec![0; rng.usize(0..400)];
        let text = rng.bool();
        data.iter_mut().for_each(|byte| *byte = if text { rng.u8(0..0x80) } else { rng.u8(..) });
        round_trip(&data);
    }
}

fn change(rng: &mut Rng, data: &mut Vec<u8>, seeds: &[(String, Vec<u8>)]) {
    let at = rng.usize(0..=data.len());
    match rng.u8(0..7) {
        0 => data.truncate(at),
        1 => data.insert(at, rng.u8(..)),
        2 => data.extend_from_slice(&rng.choice(seeds).unwrap().1),
        3 if at < data.len() => drop(data.remove(at)),
        4 if at < data.len() => data[at] = data[at].wrapping_add(1),
        5 if at < data.len() => data[at] = data[at].wrapping_sub(1),
        _ if at < data.len() => data[at] = rng.u8(..),
        _ => {}
    }
}
