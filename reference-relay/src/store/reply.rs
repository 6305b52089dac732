//! A `done` that is run exactly once, whatever becomes of the call that carries it.

use super::{Done, StoreError};

/// Holds the `done` of a call that waits. If it is dropped unanswered (the queue of a closed store, a thread that
/// died), the caller still hears of it.
pub(super) struct Reply<T>(Option<Done<T>>);

impl<T> Reply<T> {
    pub(super) fn new(done: Done<T>) -> Self {
        Self(Some(done))
    }

    /// Runs the `done` with `result`.
    pub(super) fn send(mut self, result: Result<T, StoreError>) {
        if let Some(done) = self.0.take() {
            done(result);
        }
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        if let Some(done) = self.0.take() {
            // A thread that unwinds may have been in the middle of a commit: its outcome is unknown.
            let died = std::thread::panicking();
            done(Err(if died { StoreError::Failed("its thread died".into()) } else { StoreError::Closed }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn reply() -> (Reply<u8>, mpsc::Receiver<Result<u8, StoreError>>) {
        let (sender, receiver) = mpsc::channel();
        (Reply::new(Box::new(move |result| sender.send(result).unwrap())), receiver)
    }

    #[test]
    fn sent_or_dropped_it_is_run_once() {
        let (sent, receiver) = reply();
        sent.send(Ok(7));
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [Ok(7)]);

        let (dropped, receiver) = reply();
        drop(dropped);
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [Err(StoreError::Closed)]);
    }

    #[test]
    fn a_thread_that_dies_with_it_leaves_the_outcome_unknown() {
        let (held, receiver) = reply();
        std::thread::spawn(move || {
            let _held = held;
            panic!("on purpose");
        })
        .join()
        .unwrap_err();
        assert!(matches!(receiver.recv(), Ok(Err(StoreError::Failed(_)))));
    }
}
