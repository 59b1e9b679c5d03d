//! The driver for any program: brief and prompt on stdin, packet as files, an answer or a tool's report back on stdout.
//!
//! A program is started for each turn, under a guard, with an environment of its own, and ends with the turn. Its exit
//! code is no verdict: only what it wrote counts. The command comes from trusted configuration only.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use council_protocol::seat::{AgentKind, Client, OutputFormat};
use council_protocol::{
    Capability, CapabilitySet, Failure, FailureKind, JudgeSpec, Seat, Turn, json,
};
use serde_json::Value;

use crate::client;
use crate::environment::is_forbidden;
use crate::guard::{GuardedProgram, SandboxFence};
use crate::process::{FinishedProgram, GRACE_MS, oversized_failure, run_once, spawn_failure};
use crate::report::{self, ReportSubject};
use crate::{Agent, AgentContext, AgentReply, Conversation, SeatProbe, StopSignal};

pub struct CommandAgent(pub Arc<AgentContext>);

impl Agent for CommandAgent {
    fn driver_name(&self) -> &'static str {
        "command"
    }

    /// A process per turn keeps nothing: no `message`.
    fn capabilities(&self) -> CapabilitySet {
        CapabilitySet::from([
            Capability::Spawn,
            Capability::Shutdown,
            Capability::SharedFs,
        ])
    }

    fn probe_seat(&self, seat: &Seat) -> Result<SeatProbe, Failure> {
        command_of(seat)?;
        client::find_installed(&self.0, seat, &client_of(seat))?;
        Ok(SeatProbe {
            capabilities: self.capabilities(),
            note: String::new(),
        })
    }

    fn open_conversation(&self, spec: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        self.probe_seat(&spec.seat)?;
        let (argv, extra) = command_of(&spec.seat)?;
        let variables = self.0.env.iter().filter(|(name, _)| !is_forbidden(name));
        let mut env: Vec<(String, OsString)> =
            variables.map(|(k, v)| (k.clone(), v.clone())).collect();
        env.retain(|(name, _)| crate::environment::is_allowed(name, extra));
        let scratch = tempfile::tempdir().map_err(|e| spawn_failure(&argv[0], &e))?;
        let dir = spec
            .room
            .clone()
            .unwrap_or_else(|| scratch.path().to_path_buf());
        env.push(("HOME".into(), scratch.path().into()));
        if let Some(room) = &spec.room {
            env.push(("COUNCIL_ROOM".into(), room.into()));
        }
        if let Some(folder) = &self.0.folder {
            env.push(("COUNCIL_FOLDER".into(), folder.into()));
            env.push(("COUNCIL_PACKET".into(), folder.join("packet.json").into()));
        }
        let client = client_of(&spec.seat);
        let mut fence =
            client::build_fence(&self.0, &client, spec.room.as_deref(), scratch.path())?;
        if let (Some(fence), Some(folder)) = (&mut fence, &self.0.folder) {
            fence.read.push(folder.clone());
        }
        Ok(Box::new(CommandConversation {
            context: Arc::clone(&self.0),
            exe: self.0.exe.clone().unwrap_or_default(),
            format: format_of(&spec.seat),
            argv: argv.to_vec(),
            env,
            dir,
            brief: Arc::clone(&spec.brief),
            model: spec.seat.agent.model.clone(),
            max_bytes: spec.max_answer_bytes,
            fence,
            _scratch: scratch,
        }))
    }
}

fn command_of(seat: &Seat) -> Result<(&[String], &[String]), Failure> {
    match &seat.agent.kind {
        AgentKind::Command { argv, env, .. } if !argv.is_empty() => Ok((argv, env)),
        _ => {
            let detail = format!(
                "agent `{}` has no command: set `agents.{0}.command`",
                seat.agent.name
            );
            Err(Failure::new(FailureKind::Spawn, detail))
        }
    }
}

/// The program as a client, for what both need.
fn client_of(seat: &Seat) -> Client {
    match &seat.agent.kind {
        AgentKind::Command {
            argv, env, sandbox, ..
        } => Client {
            argv: argv.clone(),
            env: env.clone(),
            sandbox: *sandbox,
            ..Client::default()
        },
        _ => Client::default(),
    }
}

fn format_of(seat: &Seat) -> OutputFormat {
    match seat.agent.kind {
        AgentKind::Command { format, .. } => format,
        _ => OutputFormat::Answer,
    }
}

struct CommandConversation {
    context: Arc<AgentContext>,
    exe: PathBuf,
    format: OutputFormat,
    argv: Vec<String>,
    env: Vec<(String, OsString)>,
    dir: PathBuf,
    brief: Arc<str>,
    /// For programs that have several.
    model: Option<String>,
    max_bytes: u64,
    fence: Option<SandboxFence>,
    /// Home of every process of this judge; removed with it.
    _scratch: tempfile::TempDir,
}

impl Conversation for CommandConversation {
    fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        let mut env = self.env.clone();
        if let Some(model) = &self.model {
            env.push(("COUNCIL_MODEL".into(), model.into()));
        }
        env.push(("COUNCIL_ROUND".into(), turn.round.to_string().into()));
        env.push(("COUNCIL_KEY".into(), turn.key.clone().into()));
        let program = GuardedProgram {
            argv: &self.argv,
            env: &env,
            dir: &self.dir,
            grace_ms: GRACE_MS,
            fence: self.fence.as_ref(),
        };
        let input = [self.brief.as_bytes(), turn.prompt.as_bytes()].concat();
        let is_whole = |stdout: &[u8]| is_whole_answer(self.format, &turn.key, stdout);
        let finished = run_once(&self.exe, &program, input, self.max_bytes, stop, &is_whole)?;
        if !finished.whole {
            return Err(oversized_failure(self.max_bytes));
        }
        let mut reply = self.parse_reply(finished)?;
        let subject = ReportSubject {
            packet: &self.context.packet,
            blobs: &*self.context.blobs,
            room: &self.dir,
        };
        if let Some(answer) = report::answer_from_report(self.format, &reply.raw, &subject, turn)? {
            reply.raw = serde_json::to_string(&answer)
                .map_err(|error| Failure::new(FailureKind::Malformed, error.to_string()))?;
        }
        Ok(reply)
    }
}

impl CommandConversation {
    fn parse_reply(&self, finished: FinishedProgram) -> Result<AgentReply, Failure> {
        let ended = finished.describe_ending();
        let said = || match finished.noise.as_str() {
            "" => format!("`{}` ended ({ended}) and wrote nothing", self.argv[0]),
            noise => format!("`{}` ended ({ended}): {noise}", self.argv[0]),
        };
        let raw = finished.stdout;
        if raw.iter().all(u8::is_ascii_whitespace) {
            return Err(Failure::new(FailureKind::Empty, said()));
        }
        let raw = String::from_utf8(raw).map_err(|_| {
            let detail = format!("`{}` wrote bytes that are not UTF-8", self.argv[0]);
            Failure::new(FailureKind::Malformed, detail)
        })?;
        Ok(AgentReply { raw, usage: None })
    }
}

/// Whether a program has written all that its answer needs: an object with the key of its turn, or a report of its format.
fn is_whole_answer(format: OutputFormat, key: &str, stdout: &[u8]) -> bool {
    let end = stdout.trim_ascii_end();
    if !end.ends_with(b"}") && !end.ends_with(b"```") {
        return false;
    }
    let Some(text) = std::str::from_utf8(end)
        .ok()
        .filter(|_| json::fits_in_memory(end, json::MESSAGE))
    else {
        return false;
    };
    let objects = text
        .match_indices('{')
        .filter(|(at, _)| *at == 0 || text[..*at].ends_with('\n'));
    let mut objects = objects.filter_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok()
    });
    match format {
        OutputFormat::Answer => objects.any(|object| object["key"] == key),
        OutputFormat::Sarif => objects.any(|object| object["runs"].is_array()),
        OutputFormat::Rdjson => objects.any(|object| object["diagnostics"].is_array()),
    }
}

/// Whether a path may be a command's program: absolute, or a bare name for the `PATH`; never relative to the tree.
pub fn is_safe_program(program: &str) -> bool {
    !program.is_empty() && (Path::new(program).is_absolute() || !program.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::find_program;

    #[test]
    fn a_program_is_never_looked_up_relative_to_the_tree() {
        assert!(is_safe_program("semgrep"));
        assert!(is_safe_program("/usr/bin/semgrep"));
        for bad in ["", "./judge", "tools/judge", "../judge"] {
            assert!(!is_safe_program(bad), "{bad}");
        }
        assert_eq!(
            find_program("sh", Some(&OsString::from("relative:."))),
            None
        );
        assert!(find_program("sh", Some(&OsString::from("/usr/bin:/bin"))).is_some());
    }
}
