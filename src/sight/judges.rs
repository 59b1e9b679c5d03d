//! What judges without a model see beside the change: earlier commits and the rest of the tree, within limits, and only
//! where one of them asks.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use council_protocol::RepoPath;
use council_protocol::added::AddedText;
use council_protocol::change::{BlobError, BlobSource, Companion, FileChange, Side, TreeEntry};

use super::companions::{ChangedPaths, left_out};
use super::limits::{SearchLimits, Sight};
use super::nearest::NearestFiles;
use super::search::NameSearch;
use crate::git::ReviewedChange;

/// How long one search of the whole tree may take.
const MAX_SEARCH: Duration = Duration::from_millis(300);

/// How many files and bytes it may read.
const MAX_FILES: usize = 5_000;
const MAX_BYTES: usize = 64 << 20;

/// Lets judges without a model ask what stands around a change. `is_whole`: the change is not a part of one that somebody
/// chose by its paths; of a part nobody can say what it left out.
pub(crate) fn open_eyes(change: &mut ReviewedChange, is_whole: bool) {
    if let Some(sight) = Sight::around(change) {
        change.blobs = Arc::new(SeeingBlobs {
            blobs: Arc::clone(&change.blobs),
            sight,
            changed: ChangedPaths::of(change),
            is_whole,
            companions: OnceLock::new(),
        });
    }
}

/// The files of a change, and what stands around it.
struct SeeingBlobs {
    blobs: Arc<dyn BlobSource>,
    sight: Sight,
    changed: ChangedPaths,
    is_whole: bool,
    companions: OnceLock<Vec<Companion>>,
}

impl BlobSource for SeeingBlobs {
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        self.blobs.read(side, path)
    }

    fn visit_added(
        &self,
        file: &FileChange,
        visit: &mut dyn FnMut(AddedText<'_>),
    ) -> Result<(), BlobError> {
        self.blobs.visit_added(file, visit)
    }

    fn entries(&self, side: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
        self.blobs.entries(side)
    }

    fn companions(&self) -> Vec<Companion> {
        if !self.is_whole {
            return Vec::new();
        }
        let find = || left_out(&self.sight, &self.changed);
        self.companions.get_or_init(find).clone()
    }

    fn files_naming(&self, names: &[&str]) -> Option<Vec<RepoPath>> {
        let limits = SearchLimits {
            files: MAX_FILES,
            bytes: MAX_BYTES,
            commits: 0,
            together: 0,
            until: Instant::now() + MAX_SEARCH,
        };
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let nearest = NearestFiles::new(&self.sight.tree, &self.changed.all, Vec::new());
        let found = NameSearch::new(&names).run(nearest, &self.sight.tree, &limits);
        let paths = || found.files.iter().map(|file| file.path.clone()).collect();
        (!found.is_cut).then(paths)
    }

    fn has_blobs(&self) -> bool {
        self.blobs.has_blobs()
    }
}
