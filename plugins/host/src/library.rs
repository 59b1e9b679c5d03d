//! The system's loader: the one file that names `libloading`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::thread;

use council_abi::{Entry, SYMBOL};
use council_protocol::PROTOCOL_VERSION;
use council_protocol::message::Manifest;
use libloading::os::unix::{Library as Shared, RTLD_LOCAL, RTLD_NOW};

use crate::table::PluginTable;
use crate::{HostTimeouts, LibraryBackend, LoadError, PluginLog, TrustedFile};

/// A loaded backend library. It stays loaded as long as the process lives: unloading is unsound as soon as the library
/// has a thread or a thread-local destructor (`rust.md` A1.1).
pub struct PluginLibrary {
    path: PathBuf,
    manifest: Manifest,
    table: PluginTable,
}

/// Everything that was loaded so far, so that a path is loaded once.
static LOADED: Mutex<BTreeMap<PathBuf, &'static PluginLibrary>> = Mutex::new(BTreeMap::new());

impl PluginLibrary {
    /// Loads a library and shakes hands: version, size, functions, manifest, protocol. A path that was loaded before is
    /// not loaded again.
    ///
    /// # Errors
    ///
    /// Names what is wrong with the library; it was not asked to do anything yet.
    pub fn load(file: &TrustedFile, patience: HostTimeouts) -> Result<&'static Self, LoadError> {
        let path = file.path();
        if let Some(library) = loaded_libraries().get(path) {
            return Ok(library);
        }
        // Constructors of the library run while it is loaded, and may hang.
        let (done, result) = mpsc::channel();
        let (start, wanted) = (patience.start, path.to_path_buf());
        let loader = thread::Builder::new().name("council-load".into());
        let spawned = loader.spawn(move || {
            // Where nobody waits any more, it was given up.
            let _ = done.send(load(&wanted));
        });
        spawned.map_err(|error| LoadError::Open {
            path: path.to_path_buf(),
            cause: error.to_string(),
        })?;
        let slow = |_| LoadError::Slow {
            path: path.to_path_buf(),
            within: start,
        };
        let library = result.recv_timeout(start).map_err(slow)??;
        Ok(*loaded_libraries()
            .entry(path.to_path_buf())
            .or_insert_with(|| Box::leak(Box::new(library))))
    }

    /// What it says about itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A backend that runs judges in it. Every one has its own session and its own thread.
    pub fn backend(&'static self, log: PluginLog, patience: HostTimeouts) -> LibraryBackend {
        LibraryBackend::new(self, log, patience)
    }

    pub(crate) fn table(&self) -> &PluginTable {
        &self.table
    }
}

fn loaded_libraries() -> std::sync::MutexGuard<'static, BTreeMap<PathBuf, &'static PluginLibrary>> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(
    unsafe_code,
    reason = "runs a foreign library's constructors and its exported function"
)]
fn load(path: &Path) -> Result<PluginLibrary, LoadError> {
    // RTLD_NOW: what the library misses shows now and not in the middle of a review. RTLD_LOCAL: its symbols are its own.
    // SAFETY: the file was checked (`Trusted`); that its constructors are harmless is what trusting it means.
    let shared = unsafe { Shared::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let shared = shared.map_err(|error| LoadError::Open {
        path: path.to_path_buf(),
        cause: error.to_string(),
    })?;
    // SAFETY: the name promises the type (header).
    let entry = unsafe { shared.get::<Entry>(SYMBOL.as_bytes()) }.map(|symbol| *symbol);
    // Never unloaded, also when it is refused: its constructors have run.
    std::mem::forget(shared);
    let entry = entry.map_err(|_| LoadError::NoSymbol {
        path: path.to_path_buf(),
    })?;
    // SAFETY: the library stays loaded; the header says what the function returns.
    let table = unsafe { PluginTable::read_table(entry(), path) }?;
    let unusable = |cause| LoadError::Manifest {
        path: path.to_path_buf(),
        cause,
    };
    let manifest = parse_manifest(&table.manifest().map_err(unusable)?, path)?;
    Ok(PluginLibrary {
        path: path.to_path_buf(),
        manifest,
        table,
    })
}

/// Reads a manifest and looks for a protocol that both sides speak.
pub(crate) fn parse_manifest(json: &[u8], path: &Path) -> Result<Manifest, LoadError> {
    let manifest: Manifest = serde_json::from_slice(json).map_err(|error| LoadError::Manifest {
        path: path.to_path_buf(),
        cause: error.to_string(),
    })?;
    if !manifest.protocols.contains(&PROTOCOL_VERSION) {
        let theirs = manifest.protocols;
        return Err(LoadError::Protocol {
            path: path.to_path_buf(),
            theirs,
        });
    }
    Ok(manifest)
}
