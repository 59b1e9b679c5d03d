//! A test again, with another text in the place of a file: its suggestion, a function that is stopped, other lines.

use council_protocol::{Location, Side};

use super::beside::{REACHED, new_function, stopped_sides};
use super::whose_test::words_of;
use super::without::other_sources;
use super::{ProofRunner, TrialRoom, ending};
use crate::council::reproduction::{MendedRuns, RUNS, Suggestion, TestRun};
use crate::run::suggestion::replace_lines;
use crate::text::unfit_text;

impl ProofRunner {
    /// The file of a finding on a side, as a text.
    pub(super) fn text_of(&self, side: Side, place: Option<&Location>) -> String {
        let read = place.and_then(|place| self.blobs.read(side, &place.path).ok().flatten());
        read.map_or_else(String::new, |text| {
            String::from_utf8_lossy(&text).into_owned()
        })
    }

    /// A test that proves a finding again, with a statement that ends the program in the finding's function: passed, if it
    /// never runs the function; none: it cannot be told.
    pub(super) fn try_stopped(
        &self,
        room: &TrialRoom<'_>,
        place: &Location,
    ) -> Result<Option<TestRun>, String> {
        let [old, new] = &room.sides;
        let own = room.brought.files.iter().map(|file| file.content.as_str());
        if let Some(name) = new_function(old, new, place)
            && own.flat_map(words_of).any(|word| word == name)
        {
            // Before the change there is no such function: whatever passed there has not called it.
            return Ok(Some(TestRun::Passed));
        }
        let Some(sides) = stopped_sides(old.as_bytes(), new.as_bytes(), place) else {
            return Ok(None);
        };
        let run = |side, text: &[u8]| self.run_on(room, side, Some((&place.path, text)));
        match run(Side::Old, &sides.before)?.0 {
            TestRun::Passed => {}
            TestRun::Failed => return Ok(Some(TestRun::Failed)),
            TestRun::Broken { .. } => return Ok(None),
        }
        // Only the change may have made somebody call it.
        let (_, said) = run(Side::New, &sides.after)?;
        Ok(Some(match said.contains(REACHED) {
            true => TestRun::Failed,
            false => TestRun::Passed,
        }))
    }

    /// The test again after the change, with the suggestion in the place of the lines that it is about.
    pub(super) fn try_suggestion(
        &self,
        room: &TrialRoom<'_>,
        suggestion: &Suggestion,
    ) -> Result<MendedRuns, String> {
        let path = &suggestion.location.path;
        let text = self.blobs.read(Side::New, path);
        let text = text.map_err(|error| error.to_string())?;
        let text = text.ok_or("its file is not there after the change")?;
        if let Some(why) = unfit_text(&suggestion.text) {
            return Err(why.to_owned());
        }
        let place = (&suggestion.location, suggestion.quote.as_str());
        let mended = replace_lines(&text, place.0, &suggestion.text, place.1, Some(&text))?;
        let edit = (path, mended.as_slice());
        let mut runs = Vec::new();
        for _ in 0..RUNS {
            runs.push(self.run_on(room, Side::New, Some(edit))?.0);
        }
        Ok(MendedRuns::Ran { runs })
    }

    /// The test again after the change, with other lines in the place of those that it is brought against: passed, if
    /// it passes without the lines; none: it cannot be told.
    pub(super) fn try_without(
        &self,
        room: &TrialRoom<'_>,
        place: &Location,
    ) -> Result<Option<TestRun>, String> {
        let text = self.blobs.read(Side::New, &place.path);
        let text = text.map_err(|error| error.to_string())?;
        let Some(others) = text.and_then(|text| other_sources(&text, place)) else {
            return Ok(None);
        };
        let run = |text: &[u8]| self.run_on(room, Side::New, Some((&place.path, text)));
        let mut stopped = None;
        for stop in &others.stops {
            // Where the statement cannot stand, nothing passes; who compares the source does not, either.
            if run(&stop.spared)?.0 == TestRun::Passed {
                stopped = Some(run(&stop.stopped)?.0);
                break;
            }
        }
        if matches!(stopped, None | Some(TestRun::Passed)) {
            return Ok(stopped);
        }
        let idle = run(&others.idle)?.0;
        if idle == TestRun::Passed || self.asks_for_no_effect(room, place, &others.altered)? {
            return Ok(Some(TestRun::Passed));
        }
        let is_unreadable = others.run_when_loaded && ending::is_unreadable(&idle);
        Ok(stopped.filter(|_| !is_unreadable))
    }

    /// Whether a test passes whatever effect the lines have: with each of these sources that runs at all.
    fn asks_for_no_effect(
        &self,
        room: &TrialRoom<'_>,
        place: &Location,
        altered: &[Vec<u8>],
    ) -> Result<bool, String> {
        let mut passes = false;
        for text in altered {
            let (run, said) = self.run_on(room, Side::New, Some((&place.path, text)))?;
            match run {
                // An effect by which the lines themselves end the test asks for nothing: whoever calls them sees it.
                TestRun::Failed if ending::is_raised_in(&said, &place.path.display()) => {
                    passes = true;
                }
                TestRun::Failed => return Ok(false),
                TestRun::Passed => passes = true,
                // Code that cannot be so, e.g. of another type, tells nothing.
                TestRun::Broken { .. } => {}
            }
        }
        Ok(passes)
    }
}
