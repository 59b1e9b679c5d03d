//! The live view: what judges do, on standard error, while a review runs.
//!
//! On a terminal it is a block that is drawn again five times a second; in CI, and on a terminal without a cursor that
//! moves, it is a line when something changes, and one a minute. It hides no cursor and changes no mode, so that whatever ends the program leaves the terminal usable.
//! `indicatif` was weighed and left out: the block is lines of text, which `crate::text` cleans and measures already.

mod board;
mod events;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub(crate) use board::Board;
pub(crate) use events::{EventFile, is_standard_output};

use super::console::Console;
use crate::config::ProgressSetting;
use crate::report::Verbosity;
use crate::run::context::Notifier;
use crate::run::environment::ProcessEnvironment;
use crate::session::{ProgressEvent, ProgressObserver};
use crate::text::{self, Ellipsis, Untrusted};

const REDRAW_EVERY: Duration = Duration::from_millis(200);

/// A run that is over sooner needs no view.
const DRAW_AFTER: Duration = Duration::from_millis(400);

/// The most lines of what one judge says to another.
const MAX_TOLD_LINES: usize = 3;

/// The fewest columns that such a line has.
const MIN_ROOM: usize = 20;

const HEARTBEAT_EVERY: Duration = Duration::from_secs(60);

/// How the view looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ViewKind {
    /// A block that is drawn again and again.
    Block,
    /// Plain lines when something changes.
    Lines,
    Off,
}

impl ViewKind {
    /// What the setting means here: `auto` is a block on a terminal, lines in CI and on a terminal whose cursor does not
    /// move, and nothing elsewhere.
    pub(crate) fn choose(
        setting: ProgressSetting,
        console: &Console,
        environment: &ProcessEnvironment,
    ) -> Self {
        match console.verbosity {
            Verbosity::Quiet => Self::Off,
            _ => Self::choose_for(setting, console.is_watched(), environment),
        }
    }

    fn choose_for(
        setting: ProgressSetting,
        is_watched: bool,
        environment: &ProcessEnvironment,
    ) -> Self {
        // It takes lines, and nothing that moves its cursor.
        let is_dumb = environment.get("TERM").is_some_and(|term| term == "dumb");
        match setting {
            ProgressSetting::Off => Self::Off,
            ProgressSetting::Lines => Self::Lines,
            ProgressSetting::Auto if environment.is_ci() => Self::Lines,
            ProgressSetting::Auto if is_watched && is_dumb => Self::Lines,
            ProgressSetting::Auto if is_watched => Self::Block,
            ProgressSetting::Auto => Self::Off,
        }
    }
}

/// Set while a panic is told: nothing may be drawn over it.
static IS_PANICKING: AtomicBool = AtomicBool::new(false);

/// A view of one run at a time. Dropping it ends it.
pub(crate) struct LiveView {
    shared: Arc<Mutex<ViewState>>,
    is_over: Arc<AtomicBool>,
    ticker: Option<JoinHandle<()>>,
}

struct ViewState {
    kind: ViewKind,
    console: Console,
    board: Board,
    began: Instant,
    /// When the council was convened, as far as we know.
    convened: Instant,
    /// The columns of each line that is on the screen now.
    drawn: Vec<usize>,
    told: Instant,
}

impl LiveView {
    /// A view that shows nothing until somebody is convened who takes time.
    pub(crate) fn new(kind: ViewKind, console: Console) -> Self {
        let state = ViewState::new(kind, console, Instant::now());
        let shared = Arc::new(Mutex::new(state));
        let is_over = Arc::new(AtomicBool::new(false));
        let ticker = (kind != ViewKind::Off).then(|| {
            keep_panics_readable(&shared);
            let (shared, is_over) = (Arc::clone(&shared), Arc::clone(&is_over));
            std::thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    std::thread::park_timeout(REDRAW_EVERY);
                    lock(&shared).tick(Instant::now());
                }
            })
        });
        Self {
            shared,
            is_over,
            ticker,
        }
    }

    /// Shows an event.
    pub(crate) fn hear(&self, event: &ProgressEvent) {
        lock(&self.shared).hear(event, Instant::now());
    }

    /// Shows what was written down of a run that began so many milliseconds ago.
    pub(crate) fn hear_all(&self, events: &[ProgressEvent], age_ms: impl Fn(u64) -> u64) {
        if let Some(last) = events.last() {
            let age = Duration::from_millis(age_ms(last.at));
            let (mut state, now) = (lock(&self.shared), Instant::now());
            state.convened = now.checked_sub(age).unwrap_or(state.began);
            events.iter().for_each(|event| state.hear(event, now));
        }
    }

    /// Lets something else write to standard error.
    fn pause(&self, write: impl FnOnce(&Console)) {
        let mut state = lock(&self.shared);
        state.clear();
        write(&state.console);
    }
}

impl Drop for LiveView {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(ticker) = self.ticker.take() {
            ticker.thread().unpark();
            let _ = ticker.join();
        }
        lock(&self.shared).clear();
    }
}

fn lock(shared: &Mutex<ViewState>) -> MutexGuard<'_, ViewState> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A panic's message is printed below the block, and nothing is drawn over it.
fn keep_panics_readable(shared: &Arc<Mutex<ViewState>>) {
    let (shared, before) = (Arc::downgrade(shared), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |panic| {
        if !IS_PANICKING.swap(true, Ordering::Relaxed)
            && let Some(shared) = shared.upgrade()
            && let Ok(mut state) = shared.try_lock()
        {
            state.clear();
        }
        before(panic);
    }));
}

impl ViewState {
    fn new(kind: ViewKind, console: Console, now: Instant) -> Self {
        Self {
            kind,
            console,
            board: Board::default(),
            began: now,
            convened: now,
            drawn: Vec::new(),
            told: now,
        }
    }

    fn hear(&mut self, event: &ProgressEvent, now: Instant) {
        let line = self.board.hear(event);
        // A run that is watched from its journal began before us.
        let age = Duration::from_millis(self.board.last_ms());
        let convened = now.checked_sub(age).unwrap_or(self.began);
        self.convened = self.convened.min(convened);
        if let Some(line) = line.filter(|_| self.shows()) {
            self.tell(&line, now);
        }
        if !self.board.is_running() {
            // What follows is the report.
            self.clear();
        }
    }

    fn shows(&self) -> bool {
        self.kind != ViewKind::Off && self.board.is_paid()
    }

    fn run_ms(&self, now: Instant) -> u64 {
        let elapsed = now.saturating_duration_since(self.convened);
        u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
    }

    /// A line that stays.
    fn tell(&mut self, line: &str, now: Instant) {
        let look = self.console.stderr_look();
        let line = Untrusted::new(line).line();
        self.told = now;
        match self.kind {
            ViewKind::Lines => {
                let at = board::seconds(self.run_ms(now));
                self.console.write_stderr(&format!("[{at}] {line}\n"));
            }
            ViewKind::Block if !IS_PANICKING.load(Ordering::Relaxed) => {
                self.clear();
                let at = format!("{:>4}  ", board::seconds(self.run_ms(now)));
                let room = look
                    .width
                    .saturating_sub(text::display_width(&at) + 1)
                    .max(MIN_ROOM);
                let blank = " ".repeat(text::display_width(&at));
                let lines = text::wrap_columns(&line, room, room);
                let out: String = lines
                    .iter()
                    .take(MAX_TOLD_LINES)
                    .zip(std::iter::once(&at).chain(std::iter::repeat(&blank)))
                    .map(|(line, before)| format!("{before}{line}\n"))
                    .collect();
                self.console.write_stderr(&out);
                self.draw(now);
            }
            ViewKind::Block | ViewKind::Off => {}
        }
    }

    fn tick(&mut self, now: Instant) {
        if !self.shows() || !self.board.is_running() {
            return self.clear();
        }
        if let Some(line) = self.heartbeat(now) {
            self.tell(&line, now);
        }
        if self.kind == ViewKind::Block {
            self.draw(now);
        }
    }

    /// What a log is told where nothing was told for a minute: the job is alive, and whom it waits for.
    fn heartbeat(&self, now: Instant) -> Option<String> {
        let is_due = self.kind == ViewKind::Lines
            && now.saturating_duration_since(self.told) >= HEARTBEAT_EVERY;
        is_due.then(|| {
            let summary = self.board.summary(self.run_ms(now));
            match self.board.waiting_for().as_str() {
                "" => summary,
                waiting => format!("{summary} · waiting for {waiting}"),
            }
        })
    }

    fn draw(&mut self, now: Instant) {
        let is_early = now.saturating_duration_since(self.began) < DRAW_AFTER;
        if is_early || IS_PANICKING.load(Ordering::Relaxed) {
            return;
        }
        let look = self.console.stderr_look();
        let lines = self
            .board
            .render(self.run_ms(now), look.width, ellipsis(look.unicode));
        let lines = board::fit_rows(lines, self.console.stderr_rows());
        let mut out = self.erase();
        for line in &lines {
            out.push_str(line);
            out.push('\n');
        }
        self.drawn = lines.iter().map(|line| text::display_width(line)).collect();
        self.console.draw_stderr(&out);
    }

    fn clear(&mut self) {
        let out = self.erase();
        if !out.is_empty() {
            self.console.draw_stderr(&out);
        }
    }

    /// What takes the block off the screen. A terminal that became narrower has broken its lines.
    fn erase(&mut self) -> String {
        if self.drawn.is_empty() {
            return String::new();
        }
        let width = self.console.stderr_look().width.max(1);
        let rows: usize = self.drawn.iter().map(|w| w.div_ceil(width).max(1)).sum();
        self.drawn.clear();
        format!("\r\u{1b}[{rows}A\u{1b}[J")
    }
}

fn ellipsis(unicode: bool) -> Ellipsis {
    if unicode {
        Ellipsis::Unicode
    } else {
        Ellipsis::Ascii
    }
}

/// The console while a view is open: what it says does not get in the view's way.
pub(crate) struct WatchedConsole {
    console: Console,
    view: Arc<LiveView>,
    events: Option<Arc<EventFile>>,
}

impl WatchedConsole {
    pub(crate) fn new(
        console: Console,
        view: Arc<LiveView>,
        events: Option<Arc<EventFile>>,
    ) -> Self {
        Self {
            console,
            view,
            events,
        }
    }
}

impl Notifier for WatchedConsole {
    fn warn(&self, message: &str) {
        self.view.pause(|console| console.warning(message));
    }

    fn log(&self, line: &str) {
        self.view.pause(|console| console.log_line(line));
    }

    fn print_line(&self, line: &str) {
        self.view
            .pause(|console| Notifier::print_line(console, line));
    }

    fn announce(&self, lines: &[String]) {
        self.view.pause(|console| console.announce(lines));
    }

    fn is_verbose(&self) -> bool {
        self.console.is_verbose()
    }

    fn is_quiet(&self) -> bool {
        Notifier::is_quiet(&self.console)
    }

    fn is_watched(&self) -> bool {
        self.console.is_watched()
    }

    fn observer(&self) -> Option<ProgressObserver> {
        let (view, events) = (Arc::clone(&self.view), self.events.clone());
        Some(Arc::new(move |event| {
            if let Some(events) = &events {
                events.write(event);
            }
            view.hear(event);
        }))
    }
}

#[cfg(test)]
mod tests;
