//! The use cases: a typed request and a context in, a report or an error out. Prints nothing, reads no environment, and
//! knows nothing of the command line.

pub(crate) mod announce;
pub(crate) mod backends;
pub(crate) mod bundle;
pub(crate) mod context;
pub(crate) mod convene;
pub(crate) mod digests;
pub(crate) mod dismissals;
pub(crate) mod environment;
pub(crate) mod error;
pub(crate) mod estimate;
pub(crate) mod execute;
pub(crate) mod facts;
pub(crate) mod findings;
pub(crate) mod github;
pub(crate) mod hook;
pub(crate) mod layers;
pub(crate) mod loaded;
pub(crate) mod modes;
pub(crate) mod notes;
pub(crate) mod nothing;
pub(crate) mod own;
pub(crate) mod plugins;
pub(crate) mod prepare;
pub(crate) mod prompts;
pub(crate) mod recognition;
pub(crate) mod replay;
pub(crate) mod request;
pub(crate) mod resume;
pub(crate) mod seats;
pub(crate) mod settings;
pub(crate) mod shards;
pub(crate) mod store;
pub(crate) mod stored_request;
pub(crate) mod trust;
pub(crate) mod workspaces;
