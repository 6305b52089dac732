//! Steps that hold other steps, and steps that compare.

use std::time::{Duration, Instant};

use super::super::actor::{Actor, Next};
use super::super::engine::{Engine, Place, Stop, lock};
use super::super::model::{
    self, Check, Compare, Converge, Count, Mode, Repeat, Set, Survives, Together, Wait,
};
use super::super::watch::Watch;
use super::traffic::FENCE_KEY;
use crate::codec::{Answer, CodecUnderTest, ReferenceCodec, To};
use crate::frame_json::JsonFrame;
use crate::hex::Hex;
use crate::verdict::Verdict;
use crate::ws::Options;
use crate::ws::frame::op;

impl Engine<'_> {
    pub(super) fn repeat(&self, step: &Repeat, place: &mut Place) -> Result<(), Stop> {
        let from = self.ours(place, step.from.value(&place.vars))?;
        let to = self.ours(place, step.to.value(&place.vars))?;
        let outer = place.path.clone();
        for value in from..=to {
            place.vars.set(&step.var, value);
            place.path = format!("{outer}[{}={value}]", step.var);
            self.run(&step.steps, place)?;
        }
        place.path = outer;
        Ok(())
    }

    pub(super) fn together(&self, step: &Together, place: &mut Place) -> Result<(), Stop> {
        let outcomes: Vec<Result<Place, Stop>> = std::thread::scope(|scope| {
            let branches: Vec<_> = step.branches.iter().enumerate().collect();
            let threads: Vec<_> = branches
                .into_iter()
                .map(|(index, steps)| {
                    let mut own = place.clone();
                    own.path = format!("{}|{}", place.path, index + 1);
                    scope.spawn(move || self.run(steps, &mut own).map(|()| own))
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| {
                    thread.join().unwrap_or_else(|_| {
                        Err(self.stop(place, Verdict::Inconclusive, "the runner panicked"))
                    })
                })
                .collect()
        });
        for outcome in outcomes {
            place.vars.extend(outcome?.vars);
        }
        Ok(())
    }

    /// A new member joins and sends a fence. What it holds then is what the room holds; each actor reads up to the
    /// fence and must hold the same values, and, perhaps after the fan-out of a world, the same world.
    pub(super) fn converge(&self, step: &Converge, place: &mut Place) -> Result<(), Stop> {
        let first = step.actors.first().map(|name| self.actor(place, name)).transpose()?;
        let Some(first) = first else {
            return self.ours(place, Err("converge without actors".into()));
        };
        drop(first);
        let room = self.ours(place, self.name(&step.room, &place.vars))?;
        let game = self.ours(place, self.name("game", &place.vars))?;
        let options = Options { target: format!("/r/{room}?g={game}&v=1&m=state"), ..Options::default() };
        let connection = self.open(place, &options)?;
        let id = self.peer_id(place, "observer", &connection)?;
        let mut observer = Actor::new("observer", connection, Watch::new(Mode::State, id), true);
        let mark = Hex(self.serial().to_le_bytes().to_vec());
        let set = JsonFrame::StateSet { key: FENCE_KEY.into(), value: mark.clone() };
        if let Answer::Done(bytes) = ReferenceCodec.encode(To::Relay, &set) {
            let _ = observer.connection.send(op::BINARY, &bytes, &[]);
        }
        self.read_to(place, &mut observer, &mark)?;
        for name in &step.actors {
            let actor = self.actor(place, name)?;
            let mut actor = lock(&actor);
            self.read_to(place, &mut actor, &mark)?;
            self.same_state(place, &actor, &observer)?;
            self.same_world(place, &mut actor, &mut observer)?;
        }
        Ok(())
    }

    /// Reads until the update that carries the mark: live, or in a snapshot that stands for a backlog.
    fn read_to(&self, place: &Place, actor: &mut Actor, mark: &Hex) -> Result<(), Stop> {
        let deadline = self.deadline();
        while actor.watch.state.get(FENCE_KEY).is_none_or(|(_, value)| value != mark.bytes()) {
            self.frame(place, actor, deadline, || "the observer's fence".to_owned())?;
        }
        Ok(())
    }

    fn same_state(&self, place: &Place, actor: &Actor, observer: &Actor) -> Result<(), Stop> {
        let (have, want) = (&actor.watch.state, &observer.watch.state);
        if have == want {
            self.checked();
            return Ok(());
        }
        let keys = have.keys().chain(want.keys());
        let key = keys.into_iter().find(|key| have.get(*key) != want.get(*key));
        let key = key.cloned().unwrap_or_default();
        let show = |held: Option<&(u32, Vec<u8>)>| {
            held.map_or_else(
                || format!("no value of {key:?}"),
                |(rev, value)| format!("{key:?} at revision {rev}: {}", crate::hex::shorten(value, 32)),
            )
        };
        let text = format!("{} does not hold what the room holds", actor.name);
        let mut stop = self.stop(place, Verdict::Fail, text);
        stop.finding.expected = Some(show(want.get(&key)));
        stop.finding.got = Some(show(have.get(&key)));
        Err(stop)
    }

    pub(super) fn survives(&self, step: &Survives, place: &mut Place) -> Result<(), Stop> {
        let told = self.actor(place, &step.told)?;
        let mut told = lock(&told);
        while let Some(next) = told.ready() {
            match next {
                Next::Frame(..) | Next::Pong(_) | Next::Close(..) | Next::End(_) => {}
                broken @ (Next::Broken { .. } | Next::Nothing) => {
                    return Err(self.unexpected(place, &told.name, "what the relay may send", broken));
                }
            }
        }
        let holder = self.actor(place, &step.holder)?;
        let mut holder = lock(&holder);
        let mark = Hex(self.serial().to_le_bytes().to_vec());
        let set = JsonFrame::StateSet { key: FENCE_KEY.into(), value: mark.clone() };
        if let Answer::Done(bytes) = ReferenceCodec.encode(To::Relay, &set) {
            let _ = holder.connection.send(op::BINARY, &bytes, &[]);
        }
        self.read_to(place, &mut holder, &mark)?;
        let lost = |what: String, rule: &str| {
            let mut stop = self.stop(place, Verdict::Fail, format!("{} was told of {what}", told.name));
            stop.finding.rule = Some(rule.to_owned());
            stop
        };
        for (key, (rev, value)) in told.watch.state.iter().filter(|(key, _)| *key != FENCE_KEY) {
            let kept = holder.watch.state.get(key);
            if !kept.is_some_and(|(r, v)| r > rev || (r == rev && v == value)) {
                return Err(lost(format!("{key:?} at revision {rev}, and it is not there"), "DUR-2"));
            }
        }
        if let Some(world) = &told.watch.world
            && holder.watch.world.as_ref() != Some(world)
            && !told.watch.unacked().any(|later| holder.watch.world.as_ref() == Some(later))
        {
            return Err(lost("a world, and it is not there".into(), "DUR-2"));
        }
        let fence = holder.watch.state.get(FENCE_KEY).map_or(0, |(rev, _)| *rev);
        if fence <= told.watch.last_rev {
            return Err(lost(
                format!("revision {}, and {fence} came after it", told.watch.last_rev),
                "ROOM-REV-3",
            ));
        }
        self.checked();
        Ok(())
    }

    fn same_world(&self, place: &Place, actor: &mut Actor, observer: &mut Actor) -> Result<(), Stop> {
        let deadline = Instant::now() + self.time(place, "world_fanout_interval")? + self.settings.patience;
        while actor.watch.world != observer.watch.world {
            let mut moved = false;
            for one in [&mut *actor, &mut *observer] {
                match one.ready() {
                    Some(Next::Frame(..)) => moved = true,
                    None => {}
                    Some(other) => {
                        return Err(self.unexpected(place, &one.name, "the room's world", other));
                    }
                }
            }
            if Instant::now() > deadline {
                let show = |world: &Option<Vec<u8>>| {
                    world.as_ref().map_or_else(
                        || "no world".to_owned(),
                        |world| format!("the world {}", crate::hex::shorten(world, 32)),
                    )
                };
                let text = format!("{} does not hold the room's world", actor.name);
                let mut stop = self.stop(place, Verdict::Fail, text);
                stop.finding.expected = Some(show(&observer.watch.world));
                stop.finding.got = Some(show(&actor.watch.world));
                stop.finding.rule = Some("ROOM-WORLD-4".into());
                return Err(stop);
            }
            if !moved {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        self.checked();
        Ok(())
    }

    pub(super) fn count(&self, step: &Count, place: &mut Place) -> Result<(), Stop> {
        let read = |place: &Place| -> Result<i64, Stop> {
            let actor = self.actor(place, &step.actor)?;
            let actor = lock(&actor);
            Ok(actor.watch.counts.get(step.frame.as_str()).copied().unwrap_or(0))
        };
        let before = read(place)?;
        let start = Instant::now();
        self.run(&step.steps, place)?;
        let elapsed = start.elapsed();
        let count = read(place)? - before;
        let mut most = None;
        if let Some(max) = &step.max {
            most = Some(self.ours(place, max.value(&place.vars))?);
        }
        if let Some(limit) = &step.at_most_one_per {
            let interval = self.time(place, limit)?;
            let periods = elapsed.as_millis() / interval.as_millis().max(1);
            most = Some(i64::try_from(periods).unwrap_or(i64::MAX).saturating_add(2));
        }
        let least = step.min.as_ref().map(|min| min.value(&place.vars)).transpose();
        let least = self.ours(place, least)?;
        if most.is_some_and(|most| count > most) || least.is_some_and(|least| count < least) {
            let text = format!("{}: {} frames {} in {elapsed:?}", step.actor, count, step.frame);
            let mut stop = self.stop(place, Verdict::Fail, text);
            stop.finding.expected = Some(format!(
                "from {} to {}",
                least.unwrap_or(0),
                most.map_or("any".into(), |n| n.to_string())
            ));
            stop.finding.got = Some(count.to_string());
            return Err(stop);
        }
        self.checked();
        Ok(())
    }

    pub(super) fn wait(&self, step: &Wait, place: &mut Place) -> Result<(), Stop> {
        std::thread::sleep(self.time(place, &step.limit)?.mul_f64(step.times));
        Ok(())
    }

    pub(super) fn check(&self, step: &Check, place: &mut Place) -> Result<(), Stop> {
        let left = self.ours(place, step.left.value(&place.vars))?;
        let right = self.ours(place, step.right.value(&place.vars))?;
        let (holds, sign) = match step.is {
            Compare::Equal => (left == right, "="),
            Compare::Unequal => (left != right, "!="),
            Compare::Less => (left < right, "<"),
            Compare::LessOrEqual => (left <= right, "<="),
            Compare::Greater => (left > right, ">"),
            Compare::Apart => (left.abs_diff(right) > 1000, "apart from"),
        };
        if !holds {
            let text = format!("{} {sign} {} does not hold: {left}, {right}", step.left, step.right);
            return Err(self.stop(place, Verdict::Fail, text));
        }
        self.checked();
        Ok(())
    }

    pub(super) fn set(&self, step: &Set, place: &mut Place) -> Result<(), Stop> {
        let value = self.ours(place, step.to.value(&place.vars))?;
        place.vars.set(&step.var, value);
        Ok(())
    }

    pub(super) fn stall(&self, step: &model::Actor, place: &mut Place, stalled: bool) -> Result<(), Stop> {
        let actor = self.actor(place, &step.actor)?;
        lock(&actor).connection.stall(stalled);
        Ok(())
    }
}
