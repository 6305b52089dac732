//! The golden frames as a stock of messages. What they say is checked by the target `golden`.

use crate::cases::{Mode, cases, wire};
use crate::prefixes::check_prefixes;

#[test]
fn every_prefix_of_every_frame_is_an_error_or_a_shorter_value() {
    for case in cases() {
        check_prefixes(Mode::of(&case), &wire(&case));
    }
}
