//! The target `room`: over random operations, and how far these come.

use roomwire_codec::registry::limit;
use roomwire_fuzz::{Reach, room_trace, room_with};
use roomwire_relay::core::room::Room;

use fastrand::Rng;

pub(crate) fn random(rng: &mut Rng) -> Vec<u8> {
    let mut data = vec![0; rng.usize(0..1_000)];
    data.iter_mut().for_each(|byte| *byte = rng.u8(..));
    data
}

#[test]
fn room_over_random_operations_reaches_every_end() {
    let mut rng = Rng::with_seed(4);
    let reaches = (0..600).map(|_| room_with::<Room>(&random(&mut rng)));
    let most = reaches.fold(Reach::default(), |most, reach| Reach {
        bytes: most.bytes.max(reach.bytes),
        keys: most.keys.max(reach.keys),
        rev: most.rev.max(reach.rev),
        too_large: most.too_large + reach.too_large,
        out_of_revisions: most.out_of_revisions + reach.out_of_revisions,
    });
    println!("{most:?}");
    assert_eq!((most.bytes, most.keys, most.rev), (limit::ROOM_BYTES, limit::ROOM_KEYS, limit::REV_MAX));
    assert!(most.too_large >= 50 && most.out_of_revisions >= 50, "{most:?}");
}

#[test]
fn a_trace_tells_the_operations_in_short_lines() {
    let mut rng = Rng::with_seed(5);
    let traces: Vec<_> = (0..40).map(|_| room_trace(&random(&mut rng))).collect();
    let all = || traces.iter().flatten();
    for start in [
        "a new room",
        "a room with 409",
        "Join(",
        "Receive(1, STATE_SET key",
        "Receive(1, WORLD_SAVE [",
        "the end",
    ] {
        assert!(all().any(|line| line.starts_with(start)), "{start}: {traces:?}");
    }
    assert!(all().any(|line| line.contains("[524288] ")), "a long value is told by its length");
    assert!(all().all(|line| line.len() < 120 && !line.contains("fails")), "{traces:?}");
}
