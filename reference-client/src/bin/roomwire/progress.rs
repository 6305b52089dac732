//! How far a large world has come, for whoever sits at a terminal.

use std::io::{self, IsTerminal as _};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Below this many bytes nothing is shown: it is over before it can be read.
const SHOWN_FROM: u64 = 64 * 1024;

/// A bar on standard error; nothing at all if that is no terminal, or if it is all over quickly.
pub(crate) struct Progress {
    what: &'static str,
    total: Option<u64>,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// For something of which `total` bytes are to come, if that is known.
    pub(crate) fn new(what: &'static str, total: Option<u64>) -> Self {
        Self { what, total, bar: None }
    }

    /// So many bytes have gone by.
    pub(crate) fn update(&mut self, bytes: u64) {
        if self.bar.is_none()
            && bytes.max(self.total.unwrap_or(0)) >= SHOWN_FROM
            && io::stderr().is_terminal()
        {
            self.bar = Some(self.start());
        }
        if let Some(bar) = &self.bar {
            match self.total {
                Some(total) if bytes >= total => bar.set_message("waiting until it is stored"),
                _ => bar.set_message(self.what),
            }
            bar.set_position(bytes.min(self.total.unwrap_or(u64::MAX)));
        }
    }

    fn start(&self) -> ProgressBar {
        let (bar, template) = match self.total {
            Some(total) => (
                ProgressBar::new(total),
                "{msg} {bar:30} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec}",
            ),
            None => (ProgressBar::new_spinner(), "{msg} {spinner} {binary_bytes} {binary_bytes_per_sec}"),
        };
        // A template that does not parse would show the bar in its plain style.
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
