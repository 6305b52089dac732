//! Steps that do something to the relay itself.

use std::sync::atomic::Ordering;

use super::super::engine::{Engine, Place, Stop};
use super::super::model::Do;
use crate::verdict::Verdict;

impl Engine<'_> {
    pub(super) fn control(&self, step: &Do, place: &mut Place) -> Result<(), Stop> {
        match step {
            Do::Stop {} => {
                self.ended_by_us.store(true, Ordering::SeqCst);
                self.relay(place, |relay| relay.stop())
            }
            Do::Kill {} => {
                self.ended_by_us.store(true, Ordering::SeqCst);
                self.relay(place, |relay| relay.kill())
            }
            Do::Start {} => self.relay(place, |relay| relay.start()),
            Do::SeedRev { room, rev } => {
                let (game, room) = self.names(place, room)?;
                let rev = self.ours(place, rev.value(&place.vars))?;
                let rev = self.ours(place, u32::try_from(rev).map_err(|error| error.to_string()))?;
                self.relay(place, |relay| relay.seed_rev(&game, &room, rev))
            }
            Do::Hold {} => self.relay(place, |relay| relay.hold(true)),
            Do::Release {} => self.relay(place, |relay| relay.hold(false)),
            Do::FailStore {} => {
                self.ended_by_us.store(true, Ordering::SeqCst);
                self.relay(place, |relay| relay.fail_store())
            }
            Do::ExpectExit {} => {
                let patience = self.settings.patience;
                self.relay(place, |relay| relay.expect_exit(patience))?;
                self.checked();
                Ok(())
            }
            Do::CountRooms { var } => {
                let count = self.relay(place, |relay| relay.count_rooms())?;
                place.vars.set(var, i64::try_from(count).unwrap_or(i64::MAX));
                Ok(())
            }
            Do::SecondRefused {} => {
                if self.relay(place, |relay| relay.second_refused())? {
                    self.checked();
                    return Ok(());
                }
                let mut stop = self.stop(place, Verdict::Fail, "a second relay started on the same store");
                stop.finding.rule = Some("DUR-8".into());
                Err(stop)
            }
            Do::Damage { room } => {
                let (game, room) = self.names(place, room)?;
                self.relay(place, |relay| relay.damage(&game, &room))
            }
        }
    }

    fn names(&self, place: &Place, room: &str) -> Result<(String, String), Stop> {
        let game = self.ours(place, self.name("game", &place.vars))?;
        let room = self.ours(place, self.name(room, &place.vars))?;
        Ok((game, room))
    }
}
