//! What each step does.

mod connect;
mod control;
mod flow;
mod traffic;

use super::engine::{Engine, Place, Stop};
use super::model::Step;

impl Engine<'_> {
    pub(super) fn step(&self, step: &Step, place: &mut Place) -> Result<(), Stop> {
        match step {
            Step::Connect(step) => self.connect(step, place),
            Step::Refused(step) => self.refused(step, place),
            Step::Admitted(step) => self.admitted(step, place),
            Step::Http(step) => self.http(step, place),
            Step::Tcp(step) => self.tcp(step, place),
            Step::Send(step) => self.send(step, place),
            Step::Raw(step) => self.raw(step, place),
            Step::Ping(step) => self.ping(step, place),
            Step::ExpectPing(step) => self.expect_ping(step, place),
            Step::Expect(step) => self.expect_frames(step, place),
            Step::Await(step) => self.await_frame(step, place),
            Step::ExpectClose(step) => self.expect_close(step, place),
            Step::ExpectEnd(step) => self.expect_end(step, place),
            Step::Close(step) => self.close(step, place),
            Step::Cut(step) => self.cut(step, place),
            Step::Fence(step) => self.fence(step, place),
            Step::Stall(step) => self.stall(step, place, true),
            Step::Resume(step) => self.stall(step, place, false),
            Step::Repeat(step) => self.repeat(step, place),
            Step::Together(step) => self.together(step, place),
            Step::Converge(step) => self.converge(step, place),
            Step::Survives(step) => self.survives(step, place),
            Step::Choice(step) => self.choice(step, place),
            Step::Count(step) => self.count(step, place),
            Step::Wait(step) => self.wait(step, place),
            Step::Check(step) => self.check(step, place),
            Step::Set(step) => self.set(step, place),
            Step::Do(step) => self.control(step, place),
        }
    }
}
