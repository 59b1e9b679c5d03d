//! A filled brief alone, for `benches/run.py`: `brief REPOSITORY FROM TO`. With `text` as a fourth argument it prints
//! the brief itself, to be compared with that of another build.
//!
//! Prints the median and the slowest of 15 in milliseconds: what looking around the change takes (tree and history),
//! and rendering the brief with it; then the bytes of the context and what a bound left out. On a second line: what
//! judges' look-ups take that find nothing and so read the whole tree, each once with nothing kept, and once more.

use std::collections::BTreeMap;
use std::io::{Error, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use council_agents::tools::{CodeTools, QueryBounds, ToolQuery};
use council_secrets::Redactor;
use git_council::inside::council::plan::RunSeed;
use git_council::inside::git::{
    self, ChangeRequest, GitEnvironment, ReviewedChange, TargetSpec, read_change,
};
use git_council::inside::lookup::CodeLookup;
use git_council::inside::packet::{
    ContextBounds, FileReaders, IgnoreGlobs, PacketMaterial, build_packet,
};
use git_council::inside::prompt::{BriefClass, ChangeContext, PromptBuilder};
use git_council::inside::sight::{SearchLimits, Sight, gather_context};

const RUNS: usize = 15;

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, from, to, rest @ ..] = args.as_slice() else {
        return Err(Error::other("usage: brief REPOSITORY FROM TO [text]"));
    };
    if rest == ["text"] {
        return print_brief(dir, from, to);
    }
    let (mut looking, mut rendering) = (Vec::new(), Vec::new());
    let (mut bytes, mut gaps) = (0, Vec::new());
    for _ in 0..RUNS {
        // Opened anew each time: nothing is warm that is not in a run.
        let mut change = read_range(dir, from, to)?;
        let packet = packet_of(&mut change)?;
        let begun = Instant::now();
        let sight = Sight::around(&change).ok_or_else(|| Error::other("no tree"))?;
        let limits = SearchLimits::within(Duration::from_millis(500));
        let gathered = gather_context(&sight, &packet, &limits);
        looking.push(begun.elapsed());
        let begun = Instant::now();
        let prompter = PromptBuilder::new(&RunSeed("0".repeat(64)), &BTreeMap::new());
        let around = ChangeContext {
            blocks: &gathered.blocks,
            gaps: &gathered.gaps,
        };
        let prompter = prompter.map_err(Error::other)?;
        let brief = prompter.render_filled_brief(&packet, around, &BriefClass::default());
        let sizes = brief.map_err(Error::other)?.sizes;
        rendering.push(begun.elapsed());
        bytes = sizes.context.iter().map(|(_, used)| used.bytes).sum();
        gaps = sizes.gaps;
    }
    let mut out = std::io::stdout();
    for times in [&mut looking, &mut rendering] {
        times.sort_unstable();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        write!(
            out,
            "{:.1} {:.1} ",
            ms(times[RUNS / 2]),
            ms(times[RUNS - 1])
        )?;
    }
    writeln!(out, "{bytes} {gaps:?}")?;
    look_up(&mut out, dir, from, to)
}

/// The brief with nothing measured, and no bound of time: two builds find the same.
fn print_brief(dir: &str, from: &str, to: &str) -> Result<(), Error> {
    let mut change = read_range(dir, from, to)?;
    let packet = packet_of(&mut change)?;
    let sight = Sight::around(&change).ok_or_else(|| Error::other("no tree"))?;
    let limits = SearchLimits::within(Duration::from_secs(600));
    let gathered = gather_context(&sight, &packet, &limits);
    let prompter = PromptBuilder::new(&RunSeed("0".repeat(64)), &BTreeMap::new());
    let around = ChangeContext {
        blocks: &gathered.blocks,
        gaps: &gathered.gaps,
    };
    let prompter = prompter.map_err(Error::other)?;
    let brief = prompter.render_filled_brief(&packet, around, &BriefClass::default());
    let brief = brief.map_err(Error::other)?;
    std::io::stdout().write_all(brief.text.as_bytes())
}

/// A name that stands nowhere.
const NOWHERE: &str = "nobody_ever_called_this";

fn look_up(out: &mut impl Write, dir: &str, from: &str, to: &str) -> Result<(), Error> {
    let queries = [
        ToolQuery::Search {
            regex: format!(r"\b{NOWHERE}\b"),
            glob: None,
        },
        ToolQuery::Symbol {
            name: NOWHERE.to_owned(),
        },
    ];
    for query in &queries {
        let mut change = read_range(dir, from, to)?;
        let packet = Arc::new(packet_of(&mut change)?);
        let lookup = CodeLookup::over_change(packet, change.blobs, Redactor::default(), None);
        let lookup = lookup.ok_or_else(|| Error::other("no tree"))?;
        let list = ToolQuery::List { glob: None };
        for query in [&list, query, query] {
            let begun = Instant::now();
            let bounds = QueryBounds {
                max_bytes: 24 << 10,
                until: begun + Duration::from_secs(600),
            };
            let found = lookup
                .run_query(query, &bounds)
                .text
                .map_err(Error::other)?;
            let took = begun.elapsed().as_secs_f64() * 1e3;
            match query {
                ToolQuery::List { .. } => {}
                _ => write!(out, "{took:.0} ")?,
            }
            drop(found);
        }
    }
    writeln!(out)
}

fn read_range(dir: &str, from: &str, to: &str) -> Result<ReviewedChange, Error> {
    let request = ChangeRequest {
        dir: dir.into(),
        spec: TargetSpec::Range {
            from: from.to_owned(),
            to: to.to_owned(),
            symmetric: false,
        },
        pathspecs: Vec::new(),
        env: GitEnvironment::default(),
    };
    read_change(&request).map_err(Error::other)
}

fn packet_of(change: &mut ReviewedChange) -> Result<council_protocol::Packet, Error> {
    let material = PacketMaterial {
        target: change.target.clone(),
        files: std::mem::take(&mut change.files),
        framing: std::mem::take(&mut change.framing),
        instructions: Vec::new(),
        ignore: IgnoreGlobs::new(&[]).map_err(Error::other)?,
        opaque_lowers: false,
    };
    let change = &*change;
    let readers = FileReaders {
        fill: &|file| change.fill_hunks(file).map_err(|error| error.to_string()),
        check: &|_| Ok(true),
        blobs: &*change.blobs,
        each: git::map_parallel,
    };
    Ok(build_packet(material, &readers, &ContextBounds::default()))
}
