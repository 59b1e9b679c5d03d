//! Searches quotes in what is under review: what a finding or a piece of evidence quotes has to stand there.
//!
//! A quote is searched in the reviewed file; in the old one when the change deletes it; in the packet where there are no
//! blobs. What is nowhere there may still be a line that the change removes: the packet shows it, so it is evidence.

mod hidden_values;
mod hunks;
mod line_indents;
mod quoted;
mod search_text;
mod twins;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use council_protocol::change::FileStatus;
use council_protocol::evidence::FileLines;
use council_protocol::{BlobSource, FileChange, LineKind, Location, Packet, Proof, RepoPath, Side};
use council_secrets::Redactor;
use council_syntax::language::Language;
use council_syntax::outline::{self, FunctionIndex};

use self::hunks::{HUNK_GAP, both_sides, gather_lines, removed_lines, shown_lines};
use self::line_indents::LineIndents;
use self::search_text::{SearchText, hidden_lines};
use self::twins::TwinIndex;
use crate::text::{is_marked, mark_hidden};

use crate::council::{NearestLine, unmarked_path};

/// The largest file in which quotes are searched.
const MAX_SEARCH_BYTES: usize = 64 << 20;

/// The largest file whose functions are looked for.
const MAX_OUTLINE_BYTES: usize = 4 << 20;

/// From this size on a text is kept in the one form that everybody is shown, so that it is not in memory several times.
const LARGE_TEXT_BYTES: usize = 8 << 20;

/// How much of a line is looked at for a quote that was redacted, in bytes.
const MAX_QUOTED_LINE: usize = 16 << 10;

/// A shorter quote has to be one by the general rules, in bytes.
const MIN_LITERAL_QUOTE: usize = 40;

/// How each placeholder begins that stands for a secret.
const PLACEHOLDER: &str = "[redacted: ";

/// Searches quotes and remembers what it has prepared and found.
pub(crate) struct QuoteProver {
    packet: Arc<Packet>,
    blobs: Arc<dyn BlobSource>,
    /// Judges that were shown redacted text quote redacted text.
    redactor: Redactor,
    texts: HashMap<RepoPath, Arc<SearchTexts>>,
    /// The same as judges are shown each other's quotes: without any value that is known to be secret.
    exchanged: HashMap<RepoPath, Arc<SearchTexts>>,
    found: HashMap<(Location, String), ProofWithContext>,
}

/// What a search came to: the proof, and the squeezed lines around the place (empty when there is none).
type ProofWithContext = (Proof, String);

/// Where a quote may stand, the best place first.
struct SearchTexts(Vec<SearchText>);

/// Searches a quote that has its own marks in the place of hidden values.
fn search_with_own_marks(
    texts: &SearchTexts,
    location: &Location,
    quote: &str,
) -> Option<ProofWithContext> {
    texts.0.iter().find_map(|text| {
        let quote = text.with_own_marks(quote)?;
        let found = text.search_near(location.line, &quote);
        (!matches!(found.0, Proof::Unverified { .. })).then_some(found)
    })
}

/// Searches lines that are quoted as a diff shows those that it removes: the same ones may stand elsewhere in the file, where
/// nobody changed them. A list has such marks, too: what stands in the file with them is no removed line.
fn search_removed(
    texts: &SearchTexts,
    location: &Location,
    quote: &str,
) -> Option<ProofWithContext> {
    let code: Option<Vec<&str>> = quote
        .trim()
        .lines()
        .map(|line| {
            // A brief prints the number before it.
            let line = line
                .trim_start()
                .trim_start_matches(|c: char| c.is_ascii_digit());
            line.trim_start().strip_prefix('-')
        })
        .collect();
    let code = code?;
    let is_telling = |line: &&str| line.chars().any(char::is_alphanumeric);
    let first = quote.trim().lines().next()?;
    if texts.0.iter().any(|text| text.has_line(first)) || !code.iter().any(is_telling) {
        return None;
    }
    let removed = texts.0.iter().filter(|text| text.removed.is_some());
    let mut found = removed.map(|text| text.search_near(location.line, &code.join("\n")));
    found.find(|(proof, _)| matches!(proof, Proof::Removed { .. }))
}

impl QuoteProver {
    /// A prover over one change.
    pub(crate) fn new(packet: Arc<Packet>, blobs: Arc<dyn BlobSource>, redactor: Redactor) -> Self {
        Self {
            packet,
            blobs,
            redactor,
            texts: HashMap::new(),
            exchanged: HashMap::new(),
            found: HashMap::new(),
        }
    }

    /// Searches `quote` at `location`; the text beside the proof is the squeezed lines around the place, empty when there
    /// is none.
    pub(crate) fn prove_quote(&mut self, location: &Location, quote: &str) -> ProofWithContext {
        let key = (location.clone(), quote.to_owned());
        if let Some(found) = self.found.get(&key) {
            return found.clone();
        }
        let resolved = self.resolved(location);
        let (proof, context) = self.search_quote(&resolved, quote);
        let proof = match self.is_deleted(&resolved.path) {
            true => of_deleted(proof, resolved.line),
            false => proof,
        };
        let found = (proof, context);
        self.found.insert(key, found.clone());
        found
    }

    fn is_deleted(&self, path: &RepoPath) -> bool {
        let file = self.find_change(path);
        file.is_some_and(|file| file.status == FileStatus::Deleted)
    }

    /// The first line, from 1, of the function in which a quote was found that was said to stand at `location`.
    pub(crate) fn function_of(&mut self, location: &Location, proof: &Proof) -> Option<u32> {
        let path = self.resolved(location).path;
        // Of a deleted file the text that is searched is the one in which the line stood.
        let is_elsewhere = matches!(proof, Proof::Removed { .. }) && !self.is_deleted(&path);
        let line = proof.place(location.line).filter(|_| !is_elsewhere)?;
        let texts = self.texts_of(&path).ok()?;
        let function = texts
            .0
            .iter()
            .find_map(|text| text.functions.enclosing(line as usize))?;
        u32::try_from(function.start).ok()
    }

    /// Whether what is under review says a text by itself: the text names a file of it, is nothing but lines of the change,
    /// or stands at one of these places.
    pub(crate) fn is_reviewed(&mut self, text: &str, places: &[Location]) -> bool {
        stands_in_change(&self.packet, text)
            || matches!(self.blobs.read(Side::New, &text.into()), Ok(Some(_)))
            || places
                .iter()
                .any(|place| self.prove_quote(place, text).0.resolves())
    }

    /// The line that is most like a quote which was not found, in a file of the change. Others stay closed: a judge could
    /// read the whole tree line by line by quoting what is not there. Secrets are taken out as they are of briefs.
    pub(crate) fn nearest_line(&mut self, location: &Location, quote: &str) -> Option<NearestLine> {
        let location = self.resolved(location);
        self.find_change(&location.path)?;
        let texts = self.texts_of(&location.path).ok()?;
        // Of one text the redacted form comes last, and is the only one that may be shown.
        let shown = texts.0.iter().rfind(|text| text.removed.is_none())?;
        let (index, text) = shown
            .lines
            .nearest_line(shown.index_of(location.line), quote)?;
        (text != HUNK_GAP).then(|| NearestLine {
            line: shown.number_of(index),
            text: text.to_owned(),
        })
    }

    /// The place with the path that git has for it, where it names a file of the change in another way, or puts something
    /// before a path of the tree.
    fn resolved(&self, location: &Location) -> Location {
        let known = self.packet.files.iter().map(|file| &file.path);
        let path = location.path.resolve_among(known).cloned();
        let renamed = || {
            let mut files = self.packet.files.iter();
            let file = files.find(|file| *file.path_before() == location.path);
            file.map(|file| file.path.clone())
        };
        let path = path.or_else(renamed);
        let path = path.unwrap_or_else(|| self.unmarked(location.path.clone().without_dot()));
        Location {
            path,
            ..location.clone()
        }
    }

    /// The file of the tree whose name is shown so, unless one is called so.
    fn unmarked(&self, path: RepoPath) -> RepoPath {
        let is_there = |path: &RepoPath| matches!(self.blobs.read(Side::New, path), Ok(Some(_)));
        match unmarked_path(&path) {
            Some(unmarked) if !is_there(&path) && is_there(&unmarked) => unmarked,
            _ => path,
        }
    }

    fn search_quote(&mut self, location: &Location, quote: &str) -> ProofWithContext {
        if quote.trim().is_empty()
            && location.line == 0
            && let Some(file) = self.find_change(&location.path)
        {
            // About the file as a whole: that it is part of the change is all there is to prove. Other content under its name
            // is another thing to speak of.
            let content = file.new_id.as_ref().or(file.old_id.as_ref());
            return (Proof::Verified, content.cloned().unwrap_or_default());
        }
        let texts = match self.texts_of(&location.path) {
            Ok(texts) => texts,
            Err(reason) => return (Proof::Unverified { reason }, String::new()),
        };
        let mut nowhere = Proof::Unverified {
            reason: "there is no text to search".to_owned(),
        };
        let quote = written_out(quote);
        if let Some(found) = search_removed(&texts, location, &quote) {
            return found;
        }
        let is_here = |text: &&SearchText| text.holds_at(location.line, &quote);
        let here = texts.0.iter().find(is_here);
        // The same line may stand elsewhere, where nobody changed it.
        let is_removed = |text: &&SearchText| text.has_removed_at(location.line, &quote);
        let removed = texts.0.iter().find(is_removed).filter(|_| here.is_none());
        let meant = here.into_iter().chain(removed);
        for text in meant.chain(&texts.0) {
            match text.search_near(location.line, &quote) {
                (proof @ Proof::Unverified { .. }, _) => nowhere = proof,
                found => return found,
            }
        }
        self.search_line(&texts, location, &quote)
            .or_else(|| search_with_own_marks(&texts, location, &quote))
            .unwrap_or((nowhere, String::new()))
    }

    /// The line that a quote names, where the quote stands in it to the letter: as it is, where it was cut between a letter
    /// and its accent; or as a built-in judge redacts it, by the built-in table and alone, where the user's own rules and
    /// what is known of the whole file replace more of it, or something else; or as other judges were shown it.
    fn search_line(
        &mut self,
        texts: &SearchTexts,
        location: &Location,
        quote: &str,
    ) -> Option<ProofWithContext> {
        let is_found = |found: &ProofWithContext| !matches!(found.0, Proof::Unverified { .. });
        let has_placeholder = quote.contains(PLACEHOLDER);
        if has_placeholder {
            let shown = self.redactor.redact_words(quote).text;
            let exchanged = self.exchanged_texts(&location.path, texts);
            let again = texts.0.iter().chain(&exchanged.0);
            let mut again = again.map(|text| text.search_near(location.line, &shown));
            if let Some(found) = again.find(is_found) {
                return Some(found);
            }
        }
        let is_telling = has_placeholder || quote.len() >= MIN_LITERAL_QUOTE;
        let line = self.line_of_file(location).filter(|_| is_telling)?;
        let alone = || Redactor::default().redact_source(Some(&location.path.display()), &line);
        let quote = quote.trim();
        let stands = line.contains(quote) || alone().text.contains(quote);
        let first = texts.0.first().filter(|_| stands)?;
        let (proof, context) = Some(first.search_near(location.line, &line)).filter(is_found)?;
        // What is hidden in the quote stands in no context either.
        let mut shown = texts.0.iter().skip(1).filter(|text| text.removed.is_none());
        let shown = shown.find(|_| has_placeholder && proof == Proof::Verified);
        let context = shown.map_or(context, |text| {
            text.context_around(text.index_of(location.line), 1)
        });
        Some((proof, context))
    }

    /// A line of the reviewed side as it is, as far as a judge that quotes it has read.
    fn line_of_file(&self, location: &Location) -> Option<String> {
        let at = (location.line as usize).checked_sub(1)?;
        let blob = self.blobs.read(Side::New, &location.path).ok().flatten()?;
        let line = blob.split(|byte| *byte == b'\n').nth(at)?;
        let most = line.len().min(MAX_QUOTED_LINE);
        // Not between a letter and its accent: composed, that letter is another one.
        let is_end = |end: &usize| line[end - 1..line.len().min(end + 1)].is_ascii();
        let end = (1..=most).rev().find(is_end)?;
        Some(String::from_utf8_lossy(&line[..end]).into_owned())
    }

    fn find_change(&self, path: &RepoPath) -> Option<&FileChange> {
        let files = &self.packet.files;
        // The packet's files are in path order; a patch of strange origin may not be.
        match files.binary_search_by(|file| file.path.cmp(path)) {
            Ok(at) => files.get(at),
            Err(_) => files.iter().find(|file| file.path == *path),
        }
    }

    fn texts_of(&mut self, path: &RepoPath) -> Result<Arc<SearchTexts>, String> {
        if let Some(texts) = self.texts.get(path) {
            return Ok(Arc::clone(texts));
        }
        let texts = Arc::new(SearchTexts(self.prepare_texts(path)?));
        self.texts.insert(path.clone(), Arc::clone(&texts));
        Ok(texts)
    }

    fn exchanged_texts(&mut self, path: &RepoPath, texts: &SearchTexts) -> Arc<SearchTexts> {
        if let Some(texts) = self.exchanged.get(path) {
            return Arc::clone(texts);
        }
        let of_text = |text: &SearchText| text.exchanged(&self.redactor, &path.display());
        let texts = Arc::new(SearchTexts(texts.0.iter().filter_map(of_text).collect()));
        self.exchanged.insert(path.clone(), Arc::clone(&texts));
        texts
    }

    fn prepare_texts(&self, path: &RepoPath) -> Result<Vec<SearchText>, String> {
        let file = self.find_change(path);
        let deleted = file.is_some_and(|file| file.status == FileStatus::Deleted);
        let side = if deleted { Side::Old } else { Side::New };
        let blob = self
            .blobs
            .read(side, path)
            .map_err(|error| error.to_string())?;
        if blob.is_none() && file.is_none() {
            return Err("there is no such file on the reviewed side".to_owned());
        }
        if blob
            .as_ref()
            .is_some_and(|blob| blob.len() > MAX_SEARCH_BYTES)
        {
            return Err("the file is too large to search".to_owned());
        }
        let mut texts = Vec::new();
        let is_large = blob
            .as_ref()
            .is_some_and(|blob| blob.len() > LARGE_TEXT_BYTES);
        let (large, blob) = if is_large { (blob, None) } else { (None, blob) };
        texts.extend(
            large
                .into_iter()
                .flat_map(|blob| large_texts(&self.redactor, path, blob)),
        );
        let mut add = |text: String,
                       numbers: Option<Vec<u32>>,
                       removed: Option<Vec<u32>>,
                       gone: Option<Vec<bool>>| {
            let shown = self.redactor.redact_source(Some(&path.display()), &text);
            // A judge that reads a brief sees hidden characters written out; the built-in ones do not.
            let marked = mark_hidden(Cow::Borrowed(&shown.text));
            let mut forms = vec![text.as_str(), &shown.text, &marked];
            forms.dedup();
            // The rules of one user must not give a finding another name than it has for everybody else.
            let has_rules = self.redactor.digest().is_some() && forms.len() > 1;
            let named_by = has_rules.then(|| {
                let plain = Redactor::default().redact_source(Some(&path.display()), &text);
                let hidden = hidden_lines(&text, &plain.text);
                Arc::new((FileLines::of(&plain.text), hidden))
            });
            let is_whole = numbers.is_none() && text.len() <= MAX_OUTLINE_BYTES;
            let functions = if is_whole {
                outline::functions(Language::from_path(&path.display()), &text)
            } else {
                Vec::new()
            };
            let functions = Arc::new(FunctionIndex::new(functions));
            let indents = Arc::new(LineIndents::of(&text));
            texts.extend(forms.into_iter().map(|form| SearchText {
                lines: FileLines::of(form),
                numbers: numbers.clone(),
                removed: removed.clone(),
                gone: gone.clone(),
                hidden: hidden_lines(&text, form),
                named_by: named_by.clone().filter(|_| form != text),
                functions: Arc::clone(&functions),
                indents: Arc::clone(&indents),
                twins: TwinIndex::default(),
            }));
        };
        match (blob, file) {
            _ if is_large => {}
            (Some(blob), _) => add(
                String::from_utf8_lossy(&blob).into_owned(),
                None,
                None,
                None,
            ),
            (None, Some(file)) => {
                let (text, numbers) = shown_lines(file, side);
                add(text, Some(numbers), None, None);
            }
            (None, None) => {}
        }
        if let Some(file) = file.filter(|_| !deleted) {
            let (text, numbers) = removed_lines(file);
            let (_, old) = gather_lines(file, |line| {
                line.old_no.filter(|_| line.kind == LineKind::Removed)
            });
            add(text, Some(numbers), Some(old), None);
            // "This was here, and now that is": both in one quote, as the brief shows them.
            if let Some(both) = both_sides(file) {
                add(
                    both.text,
                    Some(both.numbers),
                    Some(both.old),
                    Some(both.gone),
                );
            }
        }
        Ok(texts)
    }
}

/// The same proof of a line that no file has any more, which is found at its old number; a file as a whole has no line.
fn of_deleted(proof: Proof, claimed: u32) -> Proof {
    match proof.place(claimed) {
        Some(line) if line > 0 => Proof::Removed {
            line,
            old_line: line,
        },
        _ => proof,
    }
}

/// Whether a text names a file of the change, or is nothing but lines of it.
pub(crate) fn stands_in_change(packet: &Packet, text: &str) -> bool {
    let mut files = packet.files.iter();
    let is_name =
        files.any(|file| file.path.display() == text || file.path_before().display() == text);
    let hunks = || packet.files.iter().flat_map(|file| &file.hunks);
    let is_line =
        |wanted: &str| hunks().any(|hunk| hunk.lines().any(|line| line.text.contains(wanted)));
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    is_name || lines.all(is_line)
}

/// A quote of which nobody sees anything, as briefs write it: a line of such characters alone is a line all the same.
fn written_out(quote: &str) -> Cow<'_, str> {
    if quote.chars().all(|c| c.is_whitespace() || is_marked(c)) {
        mark_hidden(Cow::Borrowed(quote))
    } else {
        Cow::Borrowed(quote)
    }
}

/// A large text without its secrets, and with hidden characters written out where it has some. Each step lets go of what
/// the one before it has made. Nobody quotes its secrets: built-in judges redact their quotes, others never see them.
fn large_texts(redactor: &Redactor, path: &RepoPath, blob: Arc<[u8]>) -> Vec<SearchText> {
    let (shown, hidden) = {
        let text = String::from_utf8_lossy(&blob);
        let shown = redactor.redact_source(Some(&path.display()), &text).text;
        let hidden = hidden_lines(&text, &shown);
        (shown, hidden)
    };
    drop(blob);
    let search = |form: &str| SearchText {
        lines: FileLines::of(form),
        numbers: None,
        removed: None,
        gone: None,
        hidden: hidden.clone(),
        named_by: None,
        // Functions are looked for in files that people write.
        functions: Arc::default(),
        // Nobody has a suggestion put into a line of a bundle, and a million of them take memory.
        indents: Arc::default(),
        twins: TwinIndex::default(),
    };
    let mut texts = vec![search(&shown)];
    if let Cow::Owned(marked) = mark_hidden(Cow::Borrowed(&shown)) {
        texts.push(search(&marked));
    }
    texts
}

#[cfg(test)]
#[path = "prove_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "prove_handed_tests.rs"]
mod handed_tests;
