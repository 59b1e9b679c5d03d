//! The doors through which `benches/` and `tests/integration` reach rooms of the program that have no command of their
//! own. No interface for others: it changes with the rooms behind it.

/// What `config` shows.
pub mod config {
    // The page of keys is written by a test: docs/configuration.md.
    pub use crate::config::{
        ConfigKey, KEYS, SourceTrust, ValueKind, config_schema, render_reference,
    };
}

/// What `council` shows.
pub mod council {
    pub use crate::council::at_once::{ReadyAnswer, ReadyBench, play_at_once};
    pub use crate::council::{Action, Council, Input, Plan};

    /// What was decided.
    pub mod outcome {
        pub use crate::council::outcome::{
            Disposition, FindingLevel, FindingMember, JudgedFinding, Verdict, VerdictReason,
        };
    }

    /// What is to be decided, by whom and by which rules.
    pub mod plan {
        pub use crate::council::plan::{
            ConsensusRule, DebateMode, ExchangeMode, PlannedSeat, Procedure, ProcedureOptions,
            RoundTimeouts, RunSeed, VerdictPolicy,
        };
    }
}

/// What `git` shows.
pub mod git {
    pub use crate::git::{
        ChangeRequest, GitEnvironment, ReviewedChange, TargetSpec, map_parallel, read_change,
    };
}

/// What `lookup` shows.
pub mod lookup {
    pub use crate::lookup::CodeLookup;
}

/// What `packet` shows.
pub mod packet {
    pub use crate::packet::{
        ContextBounds, FileReaders, IgnoreGlobs, PacketMaterial, build_packet,
    };
}

/// What `prompt` shows.
pub mod prompt {
    pub use crate::prompt::{BriefClass, ChangeContext, PromptBuilder};
}

/// What `publish` shows.
pub mod publish {
    pub use crate::publish::{
        ApiCall, ApiClient, ApiReply, ForgeIdentity, ForgeState, GitHubApi, PublishAction,
        PublishOptions, PullRequest, RepoSlug, Surface, TransportError, Trigger, WorkflowEvent,
        look, plan_actions,
    };
}

/// What `report` shows.
pub mod report {
    pub use crate::report::{ChangeSize, GatePolicy, Report, ReviewSubject, RunFacts, json, judge};
}

/// What `session` shows.
pub mod session {
    pub use crate::session::journal;
    pub use crate::session::{
        BackendOffer, CalendarMoment, FileAppender, InterruptSource, LockAttempt, PromptRenderer,
        RealWorld, RunFolders, RunRef, SessionBackend, SessionDisk, SessionSetup, SessionWorld,
        WriteDurability, resume_session, run_session,
    };
}

/// What `sight` shows.
pub mod sight {
    pub use crate::sight::{SearchLimits, Sight, gather_context};
}
