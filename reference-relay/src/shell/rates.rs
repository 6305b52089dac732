//! How often and how fast: connections, joins, and what members send (spec 07-limits-and-closes, "Rates").

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use roomwire_codec::registry::close;

use crate::core::closing::Closing;
use crate::core::limits::{Rate, RateLimits, message_cost};
use crate::store::RoomName;

/// What counts as one client address: an IPv4 address, or the network of an IPv6 address (RATE-ADDR-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Network(IpAddr);

impl Network {
    /// The address that counts; none for this host unless it is to be bounded: it is the operator's own, or a proxy.
    fn of(address: IpAddr, bound_loopback: bool) -> Option<Self> {
        /// The half of an address that one customer of a provider has to give out.
        const HOST: u128 = (1 << 64) - 1;
        match address.to_canonical() {
            address if address.is_loopback() && !bound_loopback => None,
            IpAddr::V6(v6) => Some(Self(IpAddr::V6((v6.to_bits() & !HOST).into()))),
            v4 @ IpAddr::V4(_) => Some(Self(v4)),
        }
    }
}

/// The rates of a relay.
#[derive(Debug)]
pub(crate) struct Rates<C: Clock = DefaultClock> {
    limits: RateLimits,
    clock: C,
    joins_by_address: Option<Keyed<Network, C>>,
    joins_by_room: Option<Keyed<RoomName, C>>,
    connections: Mutex<Connections>,
}

type Keyed<K, C> = RateLimiter<K, HashMapStateStore<K>, C, NoOpMiddleware<<C as Clock>::Instant>>;

#[derive(Debug, Default)]
struct Connections {
    all: usize,
    of: HashMap<Network, usize>,
}

impl<C: Clock + Clone> Rates<C> {
    pub(crate) fn new(limits: RateLimits, clock: C) -> Self {
        Self {
            limits,
            joins_by_address: keyed(limits.join_address, &clock),
            joins_by_room: keyed(limits.join_room, &clock),
            clock,
            connections: Mutex::default(),
        }
    }

    /// Whether the client may join the room now.
    ///
    /// # Errors
    /// The close for one that may not (RATE-JOIN-1).
    pub(crate) fn join(&self, client: Option<Network>, room: &RoomName) -> Result<(), Closing> {
        let check = |wait: Option<Duration>, whose| match wait {
            None => Ok(()),
            Some(wait) => {
                let millis = wait.as_nanos().div_ceil(1_000_000);
                Err(Closing::new(close::RATE, format!("joins of this {whose}, retry after {millis} ms")))
            }
        };
        if let (Some(joins), Some(client)) = (&self.joins_by_address, client) {
            check(wait(joins, &client, &self.clock), "address")?;
        }
        match &self.joins_by_room {
            Some(joins) => check(wait(joins, room, &self.clock), "room"),
            None => Ok(()),
        }
    }

    /// What one member may send.
    pub(crate) fn of_member(&self) -> Sends<C> {
        Sends::new(self.limits.send, &self.clock)
    }

    /// What all members of a room may send together.
    pub(crate) fn of_room(&self) -> Sends<C> {
        Sends::new(self.limits.send_room, &self.clock)
    }

    /// Forgets whose burst is whole again.
    pub(crate) fn sweep(&self) {
        fn sweep<K: Hash + Eq + Clone, C: Clock>(joins: Option<&Keyed<K, C>>) {
            if let Some(joins) = joins.filter(|joins| !joins.is_empty()) {
                joins.retain_recent();
                joins.shrink_to_fit();
            }
        }
        sweep(self.joins_by_address.as_ref());
        sweep(self.joins_by_room.as_ref());
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn network(&self, address: IpAddr) -> Option<Network> {
        Network::of(address, self.limits.bound_loopback)
    }

    /// A place for a connection that was accepted; none if there is none, not even to say so (RATE-CONN-1).
    pub(crate) fn accept(self: &Arc<Self>, peer: IpAddr) -> Option<Place<C>> {
        let client = if self.limits.forwarded { None } else { self.network(peer) };
        let mut connections = self.connections();
        let most = self.limits.connections;
        if most > 0 && connections.all >= most {
            return None;
        }
        let is_over = self.count(&mut connections, client)?;
        connections.all = connections.all.saturating_add(1);
        Some(Place { rates: Arc::clone(self), client, is_over })
    }

    /// Counts one more connection of the client. Returns whether it is one too many, or none if it is far too many,
    /// and then was not counted.
    fn count(&self, connections: &mut Connections, client: Option<Network>) -> Option<bool> {
        let Some(client) = client else { return Some(false) };
        let most = self.limits.connections_per_address;
        let of = connections.of.get(&client).copied().unwrap_or_default();
        if most > 0 && of >= most.saturating_mul(2) {
            return None;
        }
        connections.of.insert(client, of.saturating_add(1));
        Some(most > 0 && of >= most)
    }
}

fn quota(rate: Rate) -> Option<Quota> {
    let per_second = NonZeroU32::new(rate.per_second)?;
    Some(Quota::per_second(per_second).allow_burst(NonZeroU32::new(rate.burst).unwrap_or(NonZeroU32::MIN)))
}

fn keyed<K: Hash + Eq + Clone, C: Clock + Clone>(rate: Rate, clock: &C) -> Option<Keyed<K, C>> {
    Some(RateLimiter::new(quota(rate)?, HashMapStateStore::default(), clock.clone()))
}

/// Takes one from the key's bucket. Returns how long to wait if it is empty.
fn wait<K: Hash + Eq + Clone, C: Clock>(joins: &Keyed<K, C>, key: &K, clock: &C) -> Option<Duration> {
    joins.check_key(key).err().map(|not_until| not_until.wait_time_from(clock.now()))
}

/// A connection's place, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Place<C: Clock + Clone = DefaultClock> {
    rates: Arc<Rates<C>>,
    client: Option<Network>,
    is_over: bool,
}

impl<C: Clock + Clone> Place<C> {
    /// What a proxy said with the request, in `X-Forwarded-For`: the last address is the one that it saw itself.
    pub(crate) fn forwarded_for(&mut self, addresses: &str) {
        if !self.rates.limits.forwarded || self.client.is_some() {
            return;
        }
        let last = addresses.rsplit(',').next().and_then(|address| forwarded(address.trim()));
        if let Some(client) = last.and_then(|address| self.rates.network(address)) {
            match self.rates.count(&mut self.rates.connections(), Some(client)) {
                Some(is_over) => (self.client, self.is_over) = (Some(client), is_over),
                None => self.is_over = true,
            }
        }
    }

    /// Whether whoever has the place may join the room now.
    ///
    /// # Errors
    /// The close for one that may not (RATE-CONN-1, RATE-JOIN-1).
    pub(crate) fn join(&self, room: &RoomName) -> Result<(), Closing> {
        if self.is_over {
            let most = self.rates.limits.connections_per_address;
            return Err(Closing::new(close::RATE, format!("{most} connections of this address")));
        }
        self.rates.join(self.client, room)
    }
}

impl<C: Clock + Clone> Drop for Place<C> {
    fn drop(&mut self) {
        let mut connections = self.rates.connections();
        connections.all = connections.all.saturating_sub(1);
        if let Some(client) = self.client
            && let Entry::Occupied(mut of) = connections.of.entry(client)
        {
            *of.get_mut() = of.get().saturating_sub(1);
            if *of.get() == 0 {
                of.remove();
            }
        }
    }
}

/// An address, with or without a port.
fn forwarded(text: &str) -> Option<IpAddr> {
    text.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// The place of a connection that is not upgraded yet: every request on it sees this, and the upgrade takes it.
#[derive(Clone, Debug)]
pub(crate) struct Seat(Arc<Mutex<Option<Place>>>);

impl Seat {
    pub(crate) fn new(place: Place) -> Self {
        Self(Arc::new(Mutex::new(Some(place))))
    }

    /// The place; none if an upgrade has taken it.
    pub(crate) fn take(&self) -> Option<Place> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The bytes that may be sent.
#[derive(Debug)]
pub(crate) struct Sends<C: Clock = DefaultClock> {
    bucket: Option<RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<C::Instant>>>,
}

impl<C: Clock + Clone> Sends<C> {
    fn new(rate: Rate, clock: &C) -> Self {
        Self { bucket: quota(rate).map(|quota| RateLimiter::direct_with_clock(quota, clock.clone())) }
    }

    /// Takes what a message of `len` bytes counts. Returns how long to wait if that is not there.
    pub(crate) fn take(&self, len: usize) -> Option<Duration> {
        let bucket = self.bucket.as_ref()?;
        // More than the burst it never is (RATE-SEND-2); it would have to pass.
        let taken = bucket.check_n(NonZeroU32::new(message_cost(len))?).ok()?;
        taken.err().map(|not_until| not_until.wait_time_from(bucket.clock().now()))
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use governor::clock::FakeRelativeClock;

    use super::*;

    const LIMITS: RateLimits = RateLimits {
        connections: 5,
        connections_per_address: 2,
        forwarded: false,
        bound_loopback: false,
        join_address: Rate { per_second: 2, burst: 6 },
        join_room: Rate { per_second: 1, burst: 3 },
        send: Rate { per_second: 1000, burst: 5000 },
        send_room: Rate::NONE,
    };

    fn rates(limits: RateLimits) -> (Arc<Rates<FakeRelativeClock>>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        (Arc::new(Rates::new(limits, clock.clone())), clock)
    }

    fn room(name: &str) -> RoomName {
        RoomName::new("g", name)
    }

    /// Connections in all, and addresses that have some.
    fn held(rates: &Rates<FakeRelativeClock>) -> (usize, usize) {
        let connections = rates.connections();
        (connections.all, connections.of.len())
    }

    fn v4(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn reason(result: Result<(), Closing>) -> String {
        let closing = result.expect_err("a refusal");
        assert_eq!(closing.code(), close::RATE.code);
        closing.reason().to_owned()
    }

    #[test]
    fn a_room_is_joined_in_bursts_and_then_at_its_rate() {
        let (rates, clock) = rates(LIMITS);
        (0..3).for_each(|_| rates.join(None, &room("a")).expect("a burst"));
        assert_eq!(reason(rates.join(None, &room("a"))), "rate: joins of this room, retry after 1000 ms");
        rates.join(None, &room("b")).expect("another room");
        clock.advance(Duration::from_millis(999));
        assert_eq!(reason(rates.join(None, &room("a"))), "rate: joins of this room, retry after 1 ms");
        clock.advance(Duration::from_millis(1));
        rates.join(None, &room("a")).expect("a second later");
        rates.join(None, &room("a")).expect_err("one a second");
    }

    #[test]
    fn an_address_joins_in_bursts_whatever_the_room() {
        let (rates, clock) = rates(LIMITS);
        let client = Network::of(v4(1), false);
        (0..6).for_each(|at| rates.join(client, &room(&at.to_string())).expect("a burst"));
        let refused = reason(rates.join(client, &room("x")));
        assert_eq!(refused, "rate: joins of this address, retry after 500 ms");
        rates.join(Network::of(v4(2), false), &room("x")).expect("another address");
        clock.advance(Duration::from_millis(500));
        rates.join(client, &room("x")).expect("half a second later");
    }

    #[test]
    fn what_is_whole_again_is_forgotten() {
        let (rates, clock) = rates(LIMITS);
        (0..1000u32).for_each(|at| rates.join(None, &room(&at.to_string())).expect("a room"));
        let known = || rates.joins_by_room.as_ref().map(RateLimiter::len);
        rates.sweep();
        assert_eq!(known(), Some(1000));
        clock.advance(Duration::from_secs(2));
        rates.sweep();
        assert_eq!(known(), Some(0));
    }

    #[test]
    fn bytes_come_back_with_time_and_a_rate_of_0_bounds_nothing() {
        let (rates, clock) = rates(LIMITS);
        let (member, everyone) = (rates.of_member(), rates.of_room());
        assert_eq!(member.take(4936), None);
        assert_eq!(member.take(0), Some(Duration::from_millis(64)));
        assert_eq!(rates.of_member().take(4936), None, "another member");
        clock.advance(Duration::from_millis(64));
        assert_eq!((member.take(0), member.take(0).is_some()), (None, true));
        (0..1000).for_each(|_| assert_eq!(everyone.take(1 << 20), None));
    }

    #[test]
    fn places_are_counted_and_given_back() {
        let (rates, _) = rates(LIMITS);
        let mut places: Vec<_> = (0..4).map(|_| rates.accept(v4(1)).expect("a place")).collect();
        let joins = |place: &Place<_>| place.join(&room("a"));
        assert_eq!((joins(&places[0]).is_ok(), joins(&places[1]).is_ok()), (true, true));
        assert_eq!(reason(joins(&places[2])), "rate: 2 connections of this address");
        assert!(rates.accept(v4(1)).is_none(), "twice the bound");
        places.push(rates.accept(v4(2)).expect("another address"));
        assert!(rates.accept(v4(3)).is_none(), "the bound of all");
        places.clear();
        assert_eq!(held(&rates), (0, 0));
    }

    #[test]
    fn a_proxy_says_for_whom_it_speaks() {
        let (rates, _) = rates(RateLimits { forwarded: true, ..LIMITS });
        let place = |header: &str| {
            let mut place = rates.accept(v4(9)).expect("a place");
            place.forwarded_for(header);
            place
        };
        let mut places = vec![place("10.0.0.1, 192.0.2.1"), place("192.0.2.1:4711"), place("192.0.2.2")];
        places.iter().for_each(|place| place.join(&room("a")).expect("a join"));
        places.push(place("192.0.2.1"));
        places[3].join(&room("b")).expect_err("the third of its address");
        places.push(place("nonsense"));
        assert_eq!(places[4].client, None);
        drop(places);
        assert_eq!(held(&rates), (0, 0));
    }

    #[test]
    fn a_header_means_nothing_without_a_proxy() {
        let (rates, _) = rates(LIMITS);
        let mut place = rates.accept(v4(9)).expect("a place");
        place.forwarded_for("192.0.2.1");
        assert_eq!(place.client, Network::of(v4(9), false));
        let mut place = rates.accept([127, 0, 0, 1].into()).expect("a place");
        place.forwarded_for("192.0.2.1");
        assert_eq!(place.client, None);
    }

    #[test]
    fn networks() {
        let of = |text: &str| Network::of(text.parse().expect("an address"), false);
        assert_eq!((of("127.0.0.1"), of("::1"), of("::ffff:127.0.0.1")), (None, None, None));
        assert_eq!(of("::ffff:192.0.2.7"), of("192.0.2.7"));
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::2"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(
            of("2001:db8::1"),
            Some(Network(IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0))))
        );
    }
}
