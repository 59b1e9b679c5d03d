//! The walk over earlier commits: which of them brought a line, and which files they changed together.

use std::collections::{HashMap, VecDeque};

use super::commit::CommitObject;
use super::diff::rename;
use super::error::GitError;
use super::history::{
    CommitWords, HistoryBounds, HistoryFindings, LineOrigin, WantedLines, without_people,
};
use super::id::ObjectId;
use super::line_map::{FollowedLines, split_lines};
use super::moved_lines::{split_moved, without_blanks};
use super::objects::ObjectReader;
use super::paired_trees::PairedTrees;
use super::tree;
use super::tree_item::{ItemSort, RawChange, TreeItem};

/// A commit that touches more files than this is a reformatting or an import: renames are not searched in it, and its
/// files do not count as changed together.
const MAX_TOGETHER: usize = 50;

/// The most merges that are named for a line: of those inside of a branch the outer ones tell enough.
const MAX_MERGES: usize = 4;

/// A file that is followed through renames.
#[derive(Clone)]
struct FollowedFile {
    wanted: usize,
    path: Vec<u8>,
    lines: FollowedLines,
    /// The merges that brought these lines, the one next to them last; indices of the commits that are named.
    merges: Vec<usize>,
}

/// A file from which a commit may have taken lines: its text then and now, without blanks.
struct PlaceLeft {
    path: Vec<u8>,
    then: Vec<u8>,
    now: Vec<u8>,
}

/// One walk, with what it still has to look at and what it found.
pub(super) struct HistoryWalk<'a> {
    objects: &'a ObjectReader,
    wanted: &'a [WantedLines],
    /// Commits that hold followed lines, in the order in which they were reached.
    queue: VecDeque<ObjectId>,
    /// The next commit of the chain of first parents, as long as it tells what changes together.
    main_line: Option<ObjectId>,
    /// How many of its commits are still read for that.
    together_left: usize,
    pending: HashMap<ObjectId, Vec<FollowedFile>>,
    /// The tree of each commit that was read as a parent.
    trees: HashMap<ObjectId, CommitObject>,
    brought: Vec<(FollowedFile, usize)>,
    findings: HistoryFindings,
}

impl<'a> HistoryWalk<'a> {
    /// A walk that begins at `base`.
    pub(super) fn over(
        objects: &'a ObjectReader,
        wanted: &'a [WantedLines],
        base: ObjectId,
        together: usize,
    ) -> Self {
        let mut walk = Self {
            objects,
            wanted,
            queue: VecDeque::new(),
            main_line: (together > 0).then_some(base),
            together_left: together,
            pending: HashMap::new(),
            trees: HashMap::new(),
            brought: Vec::new(),
            findings: HistoryFindings::default(),
        };
        let files = wanted
            .iter()
            .enumerate()
            .map(|(index, wanted)| FollowedFile {
                wanted: index,
                path: wanted.path.clone(),
                lines: wanted.lines.iter().map(|&line| (line, line)).collect(),
                merges: Vec::new(),
            });
        walk.pass_on(base, files.collect());
        walk
    }

    /// Goes on until everything is answered, or a bound is reached.
    pub(super) fn run(mut self, bounds: &HistoryBounds<'_>) -> HistoryFindings {
        self.go(bounds);
        self.finish()
    }
}

impl HistoryWalk<'_> {
    fn go(&mut self, bounds: &HistoryBounds<'_>) {
        while let Some(id) = self.next_commit() {
            // What is taken out here is lost where the commit is not read to its end.
            let files = self.pending.remove(&id).unwrap_or_default();
            let has_lines = !files.is_empty();
            if self.findings.walked >= bounds.commits || (bounds.is_over)() {
                self.cut(has_lines);
                return;
            }
            self.findings.walked += 1;
            let on_main_line = self.main_line == Some(id);
            let Ok(in_time) = self.visit(id, files, on_main_line, bounds) else {
                self.cut(has_lines);
                // What cannot be read has no known parents: the main line would begin again with it.
                if on_main_line {
                    self.main_line = None;
                }
                continue;
            };
            if !in_time {
                self.cut(has_lines);
                return;
            }
        }
    }

    fn cut(&mut self, has_lines: bool) {
        self.findings.is_cut = true;
        self.findings.lines_left |= has_lines || !self.pending.is_empty();
    }

    /// Lines come first; when none are followed any more, the main line tells what changes together.
    fn next_commit(&mut self) -> Option<ObjectId> {
        self.queue.pop_front().or(self.main_line)
    }

    fn read_commit(&mut self, id: ObjectId) -> Result<CommitObject, GitError> {
        match self.trees.remove(&id) {
            Some(commit) => Ok(commit),
            None => self.objects.commit(id),
        }
    }

    /// Looks at one commit; false: time ran out inside of it.
    fn visit(
        &mut self,
        id: ObjectId,
        files: Vec<FollowedFile>,
        on_main_line: bool,
        bounds: &HistoryBounds<'_>,
    ) -> Result<bool, GitError> {
        let commit = self.read_commit(id)?;
        let parents = commit.parents.clone();
        if on_main_line {
            self.together_left = self.together_left.saturating_sub(1);
            let next = parents.first().copied();
            self.main_line = next.filter(|_| self.together_left > 0);
        }
        let Some(&first) = parents.first() else {
            self.bring(id, &commit, &[], files);
            return Ok(true);
        };
        // A shallow clone names parents that it does not have: what came before is not known, so nobody is named.
        let parent = self.read_commit(first).inspect_err(|_| {
            self.findings.is_shallow |= self.objects.store.shallow;
        })?;
        let trees = (parent.tree, commit.tree);
        self.trees.insert(first, parent);
        // Most commits touch nothing that is asked for. Seeing that takes a few folders, comparing all that differ.
        if !self.touches_any(trees, &files, on_main_line)? {
            self.pass_on(first, files);
            return Ok(true);
        }
        let (old, new) = (Some(trees.0), Some(trees.1));
        let compared = tree::compare_within(self.objects, old, new, &|_| (bounds.is_over)())?;
        let Some(raws) = compared else {
            return Ok(false);
        };
        // A merge is what it brought to the main line: often a whole pull request.
        if on_main_line && raws.len() <= MAX_TOGETHER {
            let paths = raws.iter().map(|raw| raw.path.clone());
            self.findings.together.push(paths.collect());
        }
        self.follow_files(id, &commit, &raws, files)?;
        Ok(true)
    }

    /// Whether a commit touches a file that is followed, or on the main line one whose companions are asked for.
    fn touches_any(
        &self,
        trees: (ObjectId, ObjectId),
        files: &[FollowedFile],
        on_main_line: bool,
    ) -> Result<bool, GitError> {
        let mut read = |id| self.objects.tree(id);
        let mut pair = PairedTrees::new(self.objects.store.format, trees);
        let wanted = self.wanted.iter().filter(|_| on_main_line);
        let paths = files.iter().map(|file| file.path.as_slice());
        for path in paths.chain(wanted.map(|wanted| wanted.path.as_slice())) {
            if pair.differ_at(&mut read, path)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Hands files that a commit does not touch to its parent, and splits the lines of those that it does.
    fn follow_files(
        &mut self,
        id: ObjectId,
        commit: &CommitObject,
        raws: &[RawChange],
        files: Vec<FollowedFile>,
    ) -> Result<(), GitError> {
        let by_path: HashMap<&[u8], usize> = raws
            .iter()
            .enumerate()
            .map(|(at, raw)| (raw.path.as_slice(), at))
            .collect();
        let (mut kept, mut brought) = (Vec::new(), Vec::new());
        for file in files {
            let Some(&at) = by_path.get(file.path.as_slice()) else {
                kept.push(file);
                continue;
            };
            if self.follow_second_parent((id, commit), (raws, at), &file)? {
                continue;
            }
            let (mut before, rest) = self.split_file(raws, at, file)?;
            before.retain(|file| !file.lines.is_empty());
            kept.append(&mut before);
            let rest = self.follow_merged_lines((id, commit), (raws, at), rest)?;
            brought.extend((!rest.lines.is_empty()).then_some(rest));
        }
        self.pass_on(commit.parents[0], kept);
        self.bring(id, commit, raws, brought);
        Ok(())
    }

    /// A merge that took a file from another parent as it is did not write it.
    fn follow_second_parent(
        &mut self,
        (id, commit): (ObjectId, &CommitObject),
        (raws, at): (&[RawChange], usize),
        file: &FollowedFile,
    ) -> Result<bool, GitError> {
        let raw = &raws[at];
        for &parent in &commit.parents[1..] {
            let other = self.objects.commit(parent)?;
            let entry = tree::find_in_tree(self.objects, other.tree, &file.path)?;
            if entry.is_some() && entry.map(|entry| entry.id) == raw.new.map(|entry| entry.id) {
                // What the first parent has as well it had without this merge.
                let (_, new) = self.split_file(raws, at, file.clone())?;
                let is_new = |pair: &(u32, u32)| new.lines.contains(pair);
                let lines = file.lines.iter().copied();
                let (new, known) = lines.partition(is_new);
                let merged = self.merged_by((id, commit, raws), file, new);
                let known = FollowedFile {
                    lines: known,
                    ..file.clone()
                };
                self.pass_on(parent, vec![merged, known]);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A merge that put both sides of a file together wrote only what no parent has. Returns what is left of the lines.
    fn follow_merged_lines(
        &mut self,
        (id, commit): (ObjectId, &CommitObject),
        (raws, at): (&[RawChange], usize),
        mut file: FollowedFile,
    ) -> Result<FollowedFile, GitError> {
        for &parent in &commit.parents[1..] {
            let Some(new) = raws[at].new.filter(|_| !file.lines.is_empty()) else {
                break;
            };
            let other = self.objects.commit(parent)?;
            let entry = tree::find_in_tree(self.objects, other.tree, &file.path)?;
            let Some(old) = entry.filter(|entry| entry.sort() == new.sort()) else {
                continue;
            };
            let (old, new) = (self.read_squeezed(old)?, self.read_squeezed(new)?);
            let (kept, rest) = split_lines(&old, &new, &file.lines)?;
            let from_parent = self.merged_by((id, commit, raws), &file, kept);
            self.pass_on(parent, vec![from_parent]);
            file.lines = rest;
        }
        Ok(file)
    }

    /// The lines of a file that its parent has too, and those that it has not.
    fn split_file(
        &self,
        raws: &[RawChange],
        at: usize,
        file: FollowedFile,
    ) -> Result<(Vec<FollowedFile>, FollowedFile), GitError> {
        let Some(new) = raws[at].new else {
            return Ok((
                Vec::new(),
                FollowedFile {
                    lines: Vec::new(),
                    ..file
                },
            ));
        };
        let (old, path) = match raws[at].old {
            Some(old) => (Some(old), file.path.clone()),
            None => self.renamed_from(raws, at)?,
        };
        let new = self.read_squeezed(new)?;
        let mut before = Vec::new();
        let mut rest = file;
        let follow = |path: &[u8], lines: FollowedLines| FollowedFile {
            path: path.to_vec(),
            lines,
            ..rest.clone()
        };
        if let Some(old) = old {
            let old = self.read_squeezed(old)?;
            let (kept, brought) = split_lines(&old, &new, &rest.lines)?;
            let (moved, written) = split_moved((&old, &new), &new, brought);
            before.push(follow(&path, [kept, moved].concat()));
            rest.lines = written;
        }
        for PlaceLeft { path, then, now } in self.places_left(raws, at, &rest)? {
            let (moved, written) =
                split_moved((&then, &now), &new, std::mem::take(&mut rest.lines));
            before.push(FollowedFile {
                path,
                lines: moved,
                ..rest.clone()
            });
            rest.lines = written;
        }
        Ok((before, rest))
    }

    /// A blob's text without blanks: who indents a line anew, or ends it otherwise, has not written it.
    fn read_squeezed(&self, entry: TreeItem) -> Result<Vec<u8>, GitError> {
        Ok(without_blanks(&self.objects.blob(entry.id)?))
    }

    /// The other files of the same kind from which a commit of few files took something away, as they were before and after
    /// it; none where no line is left to be followed.
    fn places_left(
        &self,
        raws: &[RawChange],
        at: usize,
        rest: &FollowedFile,
    ) -> Result<Vec<PlaceLeft>, GitError> {
        if rest.lines.is_empty() || raws.len() > MAX_TOGETHER {
            return Ok(Vec::new());
        }
        let is_file = |item: &TreeItem| item.sort() == ItemSort::File;
        let kind = |path: &[u8]| path.rsplit(|&byte| byte == b'.').next().map(<[u8]>::to_vec);
        let others = raws.iter().enumerate();
        let others =
            others.filter(|(index, raw)| *index != at && kind(&raw.path) == kind(&raws[at].path));
        let mut places = Vec::new();
        for (_, raw) in others {
            let Some(old) = raw.old.filter(is_file) else {
                continue;
            };
            let now = match raw.new.filter(is_file) {
                Some(new) => self.read_squeezed(new)?,
                None => Vec::new(),
            };
            places.push(PlaceLeft {
                path: raw.path.clone(),
                then: self.read_squeezed(old)?,
                now,
            });
        }
        Ok(places)
    }

    fn renamed_from(
        &self,
        raws: &[RawChange],
        at: usize,
    ) -> Result<(Option<TreeItem>, Vec<u8>), GitError> {
        if raws.len() > MAX_TOGETHER {
            return Ok((None, Vec::new()));
        }
        let found = rename::find_renames(self.objects, raws)?;
        let from = found.renames.iter().find(|pair| pair.to == at);
        Ok(from.map_or((None, Vec::new()), |pair| {
            (raws[pair.from].old, raws[pair.from].path.clone())
        }))
    }

    fn pass_on(&mut self, commit: ObjectId, files: Vec<FollowedFile>) {
        let files = files.into_iter().filter(|file| !file.lines.is_empty());
        let mut files = files.peekable();
        if files.peek().is_none() {
            return;
        }
        let waiting = self.pending.entry(commit).or_default();
        if waiting.is_empty() {
            self.queue.push_back(commit);
        }
        waiting.extend(files);
    }

    /// Lines of a file that a merge brought from another parent than its first.
    fn merged_by(
        &mut self,
        (id, commit, raws): (ObjectId, &CommitObject, &[RawChange]),
        file: &FollowedFile,
        lines: FollowedLines,
    ) -> FollowedFile {
        let mut merges = file.merges.clone();
        if !lines.is_empty() && merges.len() < MAX_MERGES {
            merges.push(self.name_commit(id, commit, raws));
        }
        FollowedFile {
            lines,
            merges,
            ..file.clone()
        }
    }

    fn bring(
        &mut self,
        id: ObjectId,
        commit: &CommitObject,
        raws: &[RawChange],
        files: Vec<FollowedFile>,
    ) {
        if files.iter().all(|file| file.lines.is_empty()) {
            return;
        }
        let index = self.name_commit(id, commit, raws);
        self.brought
            .extend(files.into_iter().map(|file| (file, index)));
    }

    /// The index of a commit among those that are named.
    fn name_commit(&mut self, id: ObjectId, commit: &CommitObject, raws: &[RawChange]) -> usize {
        let hex = id.to_hex();
        let commits = &mut self.findings.commits;
        let known = commits.iter().position(|words| words.id == hex);
        known.unwrap_or_else(|| {
            let few = raws.len() <= MAX_TOGETHER;
            let paths = raws.iter().filter(|_| few).map(|raw| raw.path.clone());
            commits.push(CommitWords {
                id: hex,
                message: without_people(&commit.message),
                paths: paths.collect(),
            });
            commits.len() - 1
        })
    }

    fn finish(mut self) -> HistoryFindings {
        type Brought = (usize, Vec<usize>);
        let mut by_file: Vec<HashMap<Brought, Vec<u32>>> = vec![HashMap::new(); self.wanted.len()];
        for (file, commit) in self.brought {
            let lines = file.lines.into_iter().map(|(wanted, _)| wanted);
            let known = by_file[file.wanted]
                .entry((commit, file.merges))
                .or_default();
            known.extend(lines);
        }
        for (wanted, commits) in self.wanted.iter().zip(by_file) {
            let mut origins: Vec<LineOrigin> = commits
                .into_iter()
                .map(|((commit, mut merges), mut lines)| {
                    lines.sort_unstable();
                    merges.reverse();
                    LineOrigin {
                        path: wanted.path.clone(),
                        lines,
                        commit,
                        merges,
                    }
                })
                .collect();
            origins.sort_by(|a, b| a.lines.cmp(&b.lines));
            self.findings.origins.append(&mut origins);
        }
        self.findings
    }
}
