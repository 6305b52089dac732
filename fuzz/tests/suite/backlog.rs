//! The target `backlog`: over random operations, and with bugs planted, each of which it has to find.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use fastrand::Rng;
use roomwire_codec::registry::opcode;
use roomwire_fuzz::{Queue, backlog, backlog_with};
use roomwire_relay::core::backlog::{Backlog, Pace};
use roomwire_relay::core::limits::QueueLimits;
use roomwire_relay::core::time::Time;

use crate::room::random;

#[test]
fn backlog_over_random_operations() {
    let mut rng = Rng::with_seed(8);
    (0..400).for_each(|_| backlog(&random(&mut rng)));
}

/// A bug in a queue: what becomes of the frames before the relay's queue gets them, after it gave them, and of the size.
trait Bug: Default {
    fn push(&mut self, queue: &mut Backlog, frame: Bytes) {
        queue.push(frame);
    }
    fn pop(&mut self, queue: &mut Backlog) -> Option<Bytes> {
        queue.pop()
    }
    fn bytes(&self, bytes: usize) -> usize {
        bytes
    }
    fn is_empty(&self, empty: bool) -> bool {
        empty
    }
}

#[derive(Default)]
struct Broken<B> {
    queue: Backlog,
    bug: B,
}

impl<B: Bug> Queue for Broken<B> {
    fn push(&mut self, frame: Bytes) {
        self.bug.push(&mut self.queue, frame);
    }
    fn pop(&mut self) -> Option<Bytes> {
        self.bug.pop(&mut self.queue)
    }
    fn bytes(&self) -> usize {
        self.bug.bytes(self.queue.bytes())
    }
    fn is_empty(&self) -> bool {
        self.bug.is_empty(self.queue.is_empty())
    }
    fn clear(&mut self) {
        self.queue.clear();
    }
    fn pace(&mut self, now: Time, partial: usize, limits: &QueueLimits) -> Pace {
        self.queue.pace(now, partial, limits)
    }
}

#[derive(Default)]
struct Sound;

impl Bug for Sound {}

/// An ack does not end a run: it comes before what it follows.
#[derive(Default)]
struct MergesAcrossAcks(Vec<Bytes>);

impl Bug for MergesAcrossAcks {
    fn push(&mut self, queue: &mut Backlog, frame: Bytes) {
        if frame.first() == Some(&opcode::WORLD_SAVE_ACK) { self.0.push(frame) } else { queue.push(frame) }
    }
    fn pop(&mut self, queue: &mut Backlog) -> Option<Bytes> {
        self.0.pop().or_else(|| queue.pop())
    }
    fn bytes(&self, bytes: usize) -> usize {
        bytes + self.0.len()
    }
    fn is_empty(&self, empty: bool) -> bool {
        empty && self.0.is_empty()
    }
}

/// A run is sent frame by frame.
#[derive(Default)]
struct NeverMerges(std::collections::VecDeque<Bytes>);

impl Bug for NeverMerges {
    fn push(&mut self, queue: &mut Backlog, frame: Bytes) {
        self.0.push_back(frame.clone());
        queue.push(frame);
    }
    fn pop(&mut self, queue: &mut Backlog) -> Option<Bytes> {
        queue.pop();
        self.0.pop_front()
    }
}

/// The size is wrong where a frame is just too long to be kept with the short ones.
#[derive(Default)]
struct MiscountsLongFrames(usize);

impl Bug for MiscountsLongFrames {
    fn push(&mut self, queue: &mut Backlog, frame: Bytes) {
        self.0 += usize::from(frame.len() == 256);
        queue.push(frame);
    }
    fn bytes(&self, bytes: usize) -> usize {
        bytes + self.0
    }
}

/// In how many sequences a bug is found, as stated in README.md.
const BOUND: u32 = 50;

fn runs_until_found<B: Bug>(most: u32) -> Option<u32> {
    let mut rng = Rng::with_seed(9);
    (1..=most).find(|_| {
        let data = random(&mut rng);
        catch_unwind(AssertUnwindSafe(|| backlog_with::<Broken<B>>(&data))).is_err()
    })
}

#[test]
fn planted_bugs_of_a_queue_are_found() {
    assert_eq!(runs_until_found::<Sound>(BOUND), None);
    let found = [
        ("an ack that does not end a run", runs_until_found::<MergesAcrossAcks>(BOUND)),
        ("updates that are not merged", runs_until_found::<NeverMerges>(BOUND)),
        ("a frame of 256 bytes counted wrongly", runs_until_found::<MiscountsLongFrames>(BOUND)),
    ];
    println!("{found:?}");
    for (bug, runs) in found {
        assert!(runs.is_some(), "{bug} is not found");
    }
}
