//! `git council eval label`

use std::io::{BufRead, BufReader, Stdin};
use std::path::PathBuf;

use clap::Args;

use crate::cli::context::CommandContext;
use crate::council::readable_description;
use crate::run::error::RunError;
use crate::run::eval::files::EvalFiles;
use crate::run::eval::labels::{LabelBook, LabelSitting, ShownFinding, shown_findings};
use crate::run::eval::mended::DefectViewer;
use crate::text::Untrusted;

#[derive(Debug, Clone, Args)]
pub(super) struct LabelArgs {
    /// The file that `git council eval collect` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Ask about findings that are labelled already, too: the last answer counts
    #[arg(long)]
    again: bool,
}

/// What a person types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LabelWord {
    Hit,
    Miss,
    Skip,
    Undo,
    Quit,
}

impl LabelWord {
    fn parse(text: &str) -> Option<Self> {
        match text.trim().to_lowercase().as_str() {
            "y" | "yes" => Some(Self::Hit),
            "n" | "no" => Some(Self::Miss),
            "s" | "skip" | "" => Some(Self::Skip),
            "u" | "undo" => Some(Self::Undo),
            "q" | "quit" => Some(Self::Quit),
            _ => None,
        }
    }
}

/// One sitting of a person at a console.
struct LabelDialogue<'a> {
    sitting: LabelSitting<'a>,
    viewer: DefectViewer<'a>,
    start: &'a CommandContext,
}

pub(super) fn run(args: &LabelArgs, start: &CommandContext) -> Result<(), RunError> {
    let files = EvalFiles::new(start.dir.join(&args.file));
    let (items, trials) = (files.read_changes()?, files.read_results()?.ended);
    let book = LabelBook::load(&files)?;
    let shown = shown_findings(&items, &trials);
    let is_open =
        |(item, finding): &ShownFinding<'_>| args.again || book.find(item, finding).is_none();
    let asked = shown.iter().copied().filter(is_open).collect();
    let mut dialogue = LabelDialogue {
        sitting: LabelSitting::new(&files, book, asked),
        viewer: DefectViewer::new(start)?,
        start,
    };
    dialogue.ask_all(&mut BufReader::new(std::io::stdin()))?;
    let sitting = &dialogue.sitting;
    let is_labelled =
        |(item, finding): &&ShownFinding<'_>| sitting.book.find(item, finding).is_some();
    let labelled = shown.iter().filter(is_labelled).count();
    let again = match labelled {
        0 => String::new(),
        _ => format!(
            "To change a label: git council eval label {} --again\n",
            args.file.display()
        ),
    };
    start.console.print(&format!(
        "\n{} labelled, {} left; {labelled} labelled in all: {}\n{again}",
        sitting.count_said(),
        shown.len() - labelled,
        files.labels().display()
    ))
}

impl LabelDialogue<'_> {
    /// Asks about one finding after the other, until the last or until the person has had enough. The last word can be
    /// taken back, too.
    fn ask_all(&mut self, input: &mut BufReader<Stdin>) -> Result<(), RunError> {
        let mut at = 0;
        loop {
            if at < self.sitting.asked.len() {
                let told = self.describe(at);
                self.start.console.print(&told)?;
            } else if self.sitting.count_said() == 0 {
                return Ok(());
            }
            at = match self.read_word(at, input) {
                LabelWord::Hit => self.sitting.say(at, true)?,
                LabelWord::Miss => self.sitting.say(at, false)?,
                LabelWord::Skip => at + 1,
                LabelWord::Undo => self.take_back(at)?,
                LabelWord::Quit => return Ok(()),
            };
        }
    }

    /// What the person types about a finding, or behind the last one.
    fn read_word(&self, at: usize, input: &mut BufReader<Stdin>) -> LabelWord {
        let console = &self.start.console;
        let is_end = at >= self.sitting.asked.len();
        loop {
            console.write_stderr(match is_end {
                true => "that was the last one: u(ndo), or Enter to end ",
                false => "does it name the defect? y(es), n(o), s(kip), u(ndo), q(uit) ",
            });
            let mut line = Vec::new();
            // A byte that is no text is another input, and no end of it.
            if !matches!(input.read_until(b'\n', &mut line), Ok(1..)) {
                return LabelWord::Quit;
            }
            let line = String::from_utf8_lossy(&line);
            match LabelWord::parse(&line) {
                Some(LabelWord::Skip) if is_end => return LabelWord::Quit,
                Some(word) if !is_end || matches!(word, LabelWord::Undo | LabelWord::Quit) => {
                    return word;
                }
                _ => {}
            }
            let line = Untrusted::new(line.trim()).line();
            let words = if is_end { "u or q" } else { "y, n, s, u or q" };
            console.write_stderr(&format!("`{line}` is no answer: type {words}, and Enter\n"));
        }
    }

    /// Takes the last word back, and says of which finding it was.
    fn take_back(&mut self, at: usize) -> Result<usize, RunError> {
        let back = self.sitting.take_back()?;
        if back.is_none() {
            let told = "nothing was said yet that could be taken back\n";
            self.start.console.write_stderr(told);
        }
        Ok(back.unwrap_or(at))
    }

    /// A finding beside what is known of the defect, with the lines of both.
    fn describe(&self, at: usize) -> String {
        let (item, finding) = self.sitting.asked[at];
        let line = |text: &str| Untrusted::new(text).line();
        let places: Vec<String> = item
            .places
            .iter()
            .map(|place| format!("{}:{}-{}", line(&place.path), place.first, place.last))
            .collect();
        let known = match self.sitting.book.find(item, finding) {
            Some(true) => "  labelled: it names the defect\n",
            Some(false) => "  labelled: it does not name the defect\n",
            None => "",
        };
        format!(
            "\n{}/{} {}\n  known defect: {} ({})\n{}  finding: {}:{} {}\n{}{known}",
            at + 1,
            self.sitting.asked.len(),
            line(&item.id),
            places.join(", "),
            line(&item.how),
            block("what mends it", self.viewer.mended_lines(item)),
            line(&finding.path),
            finding.line,
            line(&readable_description(&finding.description)),
            block("its lines", self.viewer.quoted_lines(item, finding)),
        )
    }
}

/// Lines below their heading; what could not be read is said in their place.
fn block(heading: &str, lines: Result<Vec<String>, RunError>) -> String {
    match lines {
        Ok(lines) if lines.is_empty() => String::new(),
        Ok(lines) => format!("  {heading}:\n    {}\n", lines.join("\n    ")),
        Err(error) => {
            let why = Untrusted::new(&error.message).line();
            format!("  {heading}: cannot be read: {why}\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_counts_in_any_case_and_nothing_else_does() {
        for (text, word) in [
            ("Y\n", Some(LabelWord::Hit)),
            (" YES ", Some(LabelWord::Hit)),
            ("N\r\n", Some(LabelWord::Miss)),
            ("Skip", Some(LabelWord::Skip)),
            ("\n", Some(LabelWord::Skip)),
            ("U", Some(LabelWord::Undo)),
            ("Q", Some(LabelWord::Quit)),
            ("x", None),
            ("\u{1b}", None),
        ] {
            assert_eq!(LabelWord::parse(text), word, "{text:?}");
        }
    }
}
