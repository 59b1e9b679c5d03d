//! A SARIF log, read while the tool writes it: of a scan of a whole tree only the results in changed files are kept.

use std::collections::HashMap;
use std::fmt;
use std::io::BufRead;
use std::marker::PhantomData;

use council_protocol::{Failure, FailureKind, Severity};
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::sarif::{
    RunLookup, SarifArtifact, SarifFile, SarifInvocation, SarifOverride, SarifPhysicalLocation,
    SarifResult, SarifTool, decoded_path, first_error, is_open,
};
use super::sink::MAX_KEPT;
use super::stream::{Capped, CappedMap, EachItem};
use super::unread_words::says_unread;
use super::{HitSink, ToolHit, malformed_report};

/// Hands what the log reports to `sink`, suppressed results left out.
pub(super) fn read_hits(stream: impl BufRead, sink: &mut HitSink<'_>) -> Result<(), Failure> {
    let mut json = serde_json::Deserializer::from_reader(stream);
    let mut state = LogState {
        sink,
        version: None,
        runs: 0,
        failed: None,
        has_apart: false,
    };
    LogReader(&mut state)
        .deserialize(&mut json)
        .and_then(|()| json.end())
        .map_err(|error| malformed_report(format!("what it wrote is not SARIF: {error}")))?;
    if let Some(FailedRun { tool, words }) = state.failed {
        let words: String = words.trim().chars().take(MAX_WORDS).collect();
        let colon = if words.is_empty() { "" } else { ": " };
        let detail = format!("the tool `{tool}` says that its run did not succeed{colon}{words}");
        return Err(Failure::new(FailureKind::Provider, detail));
    }
    match state.version.as_deref() {
        // They may hold results, and what is not read is no PASS.
        Some("2.1.0") if state.has_apart => Err(malformed_report(
            "its SARIF has `inlineExternalProperties`, which are not read: let it write each run as a whole".to_owned(),
        )),
        Some("2.1.0") if state.runs > 0 => Ok(()),
        Some("2.1.0") => Err(malformed_report("its SARIF has no run in it".to_owned())),
        Some(other) => Err(malformed_report(format!(
            "its SARIF has version {other}, and 2.1.0 is read"
        ))),
        None => Err(malformed_report("its SARIF has no version".to_owned())),
    }
}

/// The most characters of a tool's own words.
const MAX_WORDS: usize = 400;

/// A run that did not succeed.
struct FailedRun {
    tool: String,
    /// Why, as the tool says; may be empty.
    words: String,
}

/// What is known of a log while it is read.
struct LogState<'s, 'r> {
    sink: &'s mut HitSink<'r>,
    version: Option<String>,
    runs: usize,
    failed: Option<FailedRun>,
    /// Whether parts of its runs stand beside them.
    has_apart: bool,
}

/// Reads the log; only its version and runs matter.
struct LogReader<'l, 's, 'r>(&'l mut LogState<'s, 'r>);

impl<'de> DeserializeSeed<'de> for LogReader<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for LogReader<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a SARIF log")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key::<String>()? {
            match name.as_str() {
                "version" => self.0.version = Some(fields.next_value()?),
                "runs" => fields.next_value_seed(RunsReader(self.0))?,
                "inlineExternalProperties" => {
                    let apart: Option<Capped<IgnoredAny>> = fields.next_value()?;
                    self.0.has_apart |= apart.is_some_and(|apart| !apart.0.is_empty());
                }
                _ => _ = fields.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

/// Reads the runs of a log.
struct RunsReader<'l, 's, 'r>(&'l mut LogState<'s, 'r>);

impl<'de> DeserializeSeed<'de> for RunsReader<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RunsReader<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of runs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut runs: A) -> Result<(), A::Error> {
        while runs.next_element_seed(RunReader(self.0))?.is_some() {
            self.0.runs += 1;
        }
        Ok(())
    }
}

/// What is kept of a run. Rules, files and folders may stand behind the results that refer to them, so results are
/// understood when the run is over.
#[derive(Default)]
struct RunParts {
    tool: SarifTool,
    /// Why the run did not succeed; none: nothing says so.
    failure: Option<String>,
    /// None: not even an empty list, so the run was not done.
    results: Option<Vec<SarifResult>>,
    /// What the tool says went wrong on its way.
    troubles: Vec<SarifResult>,
    /// What it says of its configuration: mostly of its rules, but ESLint tells there which files it ignores.
    remarks: Vec<SarifResult>,
    overrides: Vec<SarifOverride>,
    files: Capped<SarifFile>,
    folders: CappedMap<SarifArtifact>,
}

/// Reads one run.
struct RunReader<'l, 's, 'r>(&'l mut LogState<'s, 'r>);

impl<'de> DeserializeSeed<'de> for RunReader<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RunReader<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a run")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let mut run = RunParts::default();
        let mut has_tool = false;
        while let Some(name) = fields.next_key::<String>()? {
            match name.as_str() {
                "tool" => {
                    run.tool = fields.next_value()?;
                    has_tool = true;
                }
                "invocations" => {
                    let check = |one: SarifInvocation| {
                        let misled = || first_error(&one.tool_configuration_notifications.0);
                        let told = || first_error(&one.tool_execution_notifications.0);
                        // What the tool says went wrong tells more than that something did.
                        let words = |words: String| misled().or_else(told).unwrap_or(words);
                        let failure = one.failure().map(words).or_else(misled);
                        let known = run.failure.take();
                        run.failure = known.or(failure);
                        run.troubles.extend(one.tool_execution_notifications.0);
                        run.remarks.extend(one.tool_configuration_notifications.0);
                        run.overrides.extend(one.rule_configuration_overrides.0);
                    };
                    fields.next_value_seed(EachItem(check, PhantomData))?;
                }
                "artifacts" => run.files = fields.next_value()?,
                "originalUriBaseIds" => run.folders = fields.next_value()?,
                "results" => run.results = fields.next_value_seed(ResultsReader(self.0.sink))?,
                _ => _ = fields.next_value::<IgnoredAny>()?,
            }
        }
        if !has_tool {
            return Err(serde::de::Error::missing_field("tool"));
        }
        self.0.finish_run(run);
        Ok(())
    }
}

impl LogState<'_, '_> {
    fn finish_run(&mut self, run: RunParts) {
        let folders: HashMap<String, SarifArtifact> = run.folders.0;
        let lookup = RunLookup::new(&run.tool, &run.files.0, &folders, &run.overrides);
        let troubles = run.troubles.into_iter();
        let troubles: Vec<ToolHit> = troubles.flat_map(|one| lookup.troubles_of(one)).collect();
        // An error of no file is one of the run as a whole.
        let of_run = |hit: &&ToolHit| hit.severity == Severity::Critical && hit.path.is_empty();
        let told = troubles.iter().find(of_run).map(|hit| hit.message.clone());
        let undone = || run.results.is_none().then(String::new);
        if let Some(words) = run.failure.or(told).or_else(undone) {
            let tool = run.tool.driver.name.clone();
            self.failed.get_or_insert(FailedRun { tool, words });
            return;
        }
        for result in run.results.into_iter().flatten() {
            self.sink.offer_places(lookup.hits_of(result));
        }
        let remarks = run.remarks.into_iter();
        let remarks = remarks.flat_map(|one| lookup.troubles_of(one));
        let of_files = remarks.filter(|hit| !hit.path.is_empty() && says_unread(&hit.message));
        for hit in troubles.into_iter().chain(of_files) {
            self.sink.offer_trouble(hit);
        }
    }
}

/// Reads the results of a run, and keeps those that the sink may want.
struct ResultsReader<'s, 'r>(&'s mut HitSink<'r>);

impl<'de> DeserializeSeed<'de> for ResultsReader<'_, '_> {
    type Value = Option<Vec<SarifResult>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for ResultsReader<'_, '_> {
    type Value = Option<Vec<SarifResult>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of results")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let (sink, mut kept) = (self.0, Vec::new());
        let each = |result: SarifResult| {
            if !is_open(&result) {
                return;
            }
            sink.count_hit();
            if !may_be_wanted(&result, sink) || is_elsewhere(&result, sink) {
                return;
            }
            match kept.len() < MAX_KEPT {
                true => kept.push(result),
                // Its level may stand behind the results, with its rule.
                false => sink.tell_overflow(Severity::Significant),
            }
        };
        EachItem(each, PhantomData).deserialize(deserializer)?;
        Ok(Some(kept))
    }
}

/// Whether a result may be about a changed file, or about none that there is. Its path may be a number or stand below a folder that the log names
/// later, so this may say yes too often, and never no too often.
fn may_be_wanted(result: &SarifResult, sink: &mut HitSink<'_>) -> bool {
    let places = result.locations.0.iter();
    let mut places = places.map(|place| place.physical_location.as_ref());
    let may_name = |place: Option<&SarifPhysicalLocation>| {
        let file = place.and_then(|place| place.artifact_location.as_ref());
        file.and_then(|file| file.uri.as_deref())
            .map(decoded_path)
            .is_none_or(|path| {
                path.is_empty() || sink.may_name(&path) || sink.may_be_nowhere(&path)
            })
    };
    result.locations.0.is_empty() || places.any(may_name)
}

/// Whether every place of a result is one of a changed file on which the change did nothing, without a word of the log that
/// would have to be known for it. Such results must leave room for others.
fn is_elsewhere(result: &SarifResult, sink: &mut HitSink<'_>) -> bool {
    let places = &result.locations.0;
    let mut is_old = places.iter().map(|place| {
        let place = place.physical_location.as_ref()?;
        let (path, first, last) = place.plain_lines()?;
        Some(sink.is_old_place(&path, first, last))
    });
    !places.is_empty() && is_old.all(|is_old| is_old == Some(true))
}
