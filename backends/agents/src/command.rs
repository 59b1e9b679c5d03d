//! The driver for any program: brief and prompt on stdin, packet as files, an answer back on stdout; or a tool, whose
//! report is one.
//!
//! A program is started for each turn, under a guard, with an environment of its own, and ends with the turn. Its exit
//! code is no verdict: only what it wrote counts. The command comes from trusted configuration only.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use council_protocol::message::Usage;
use council_protocol::seat::{AgentKind, Client, OutputFormat, Sandbox, ToolRules};
use council_protocol::{
    Capability, CapabilitySet, Failure, FailureKind, JudgeSpec, Seat, Turn, json,
};
use serde_json::Value;

use crate::client;
use crate::environment::is_forbidden;
use crate::guard::{GuardedProgram, SandboxFence, os_arguments};
use crate::installed;
use crate::known_tools::{self, KnownTool};
use crate::packet_copy::PacketCopy;
use crate::private;
use crate::process::{FinishedProgram, GRACE_MS, oversized_failure, run_once, spawn_failure};
use crate::tool::ToolRun;
use crate::tools::CodeTools;
use crate::{Agent, AgentContext, AgentReply, Conversation, SeatProbe, StopSignal};

pub struct CommandAgent(pub Arc<AgentContext>);

impl Agent for CommandAgent {
    fn driver_name(&self) -> &'static str {
        "command"
    }

    fn code_tools(&self) -> Option<Arc<dyn CodeTools>> {
        self.0.tools.clone()
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
        let client = client_of(seat);
        client::find_installed(&self.0, seat, &client)?;
        let mut capabilities = self.capabilities();
        if client.sandbox != Sandbox::Off {
            // It reads its own copy of the packet, and nothing that is written into the run's folder later.
            capabilities.remove(&Capability::SharedFs);
        }
        Ok(SeatProbe {
            capabilities,
            note: String::new(),
        })
    }

    fn open_conversation(&self, spec: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        self.probe_seat(&spec.seat)?;
        let (argv, extra) = command_of(&spec.seat)?;
        let variables = self.0.env.iter().filter(|(name, _)| !is_forbidden(name));
        let mut env: Vec<(String, OsString)> =
            variables.map(|(k, v)| (k.clone(), v.clone())).collect();
        let rules = rules_of(&spec.seat);
        // Whoever keeps a toolchain elsewhere says where by the same variables.
        let is_seen = |name: &str| {
            crate::environment::is_allowed(name, extra) || rules.home_folders.contains_key(name)
        };
        env.retain(|(name, _)| is_seen(name));
        let scratch = private::temporary_folder(private::HOME_PREFIX)
            .map_err(|e| spawn_failure(&argv[0], &e))?;
        let dir = spec
            .room
            .clone()
            .unwrap_or_else(|| scratch.path().to_path_buf());
        env.push(("HOME".into(), scratch.path().into()));
        // It works among the reviewed files: `python -m tool` would take them for its own modules.
        const SAFE_PATH: &str = "PYTHONSAFEPATH";
        if !env.iter().any(|(name, _)| name == SAFE_PATH) {
            env.push((SAFE_PATH.into(), "1".into()));
        }
        crate::environment::add_launch_settings(&mut env);
        if let Some(room) = &spec.room {
            env.push(("COUNCIL_ROOM".into(), room.into()));
        }
        let unreadable = |error| spawn_failure("the folder of the change", &error);
        let folder = self.0.folder.as_deref();
        let copy = folder.map(|folder| PacketCopy::make(folder, &self.0.packet));
        let copy = copy.transpose().map_err(unreadable)?;
        if let Some(folder) = copy.as_ref().map(PacketCopy::path) {
            env.push(("COUNCIL_PACKET".into(), folder.join("packet.json").into()));
            env.push(("COUNCIL_FOLDER".into(), folder.into()));
        }
        let client = client_of(&spec.seat);
        let mut fence =
            client::build_fence(&self.0, &client, spec.room.as_deref(), scratch.path())?;
        if let (Some(fence), Some(folder)) = (&mut fence, &copy) {
            fence.read.push(folder.path());
        }
        for (name, folder) in &rules.home_folders {
            let own = client::in_users_home(&self.0, folder).filter(|path| path.is_dir());
            if let (false, Some(own)) = (env.iter().any(|(known, _)| known == name), own) {
                if let Some(fence) = &mut fence {
                    fence.write.push(own.clone());
                }
                env.push((name.clone(), own.into()));
            }
        }
        Ok(Box::new(CommandConversation {
            name: spec.seat.agent.name.clone(),
            context: Arc::clone(&self.0),
            rules,
            exe: self.0.exe.clone().unwrap_or_default(),
            format: format_of(&spec.seat),
            argv: argv.to_vec(),
            env,
            dir,
            brief: Arc::clone(&spec.brief),
            model: spec.seat.agent.model.clone(),
            max_bytes: spec.max_answer_bytes,
            fence,
            scratch,
            _folder: copy,
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

fn rules_of(seat: &Seat) -> ToolRules {
    match &seat.agent.kind {
        AgentKind::Command { tool, .. } => tool.clone(),
        _ => ToolRules::default(),
    }
}

struct CommandConversation {
    /// Under which the configuration knows it.
    name: String,
    context: Arc<AgentContext>,
    exe: PathBuf,
    format: OutputFormat,
    rules: ToolRules,
    argv: Vec<String>,
    env: Vec<(String, OsString)>,
    dir: PathBuf,
    brief: Arc<str>,
    /// For programs that have several.
    model: Option<String>,
    max_bytes: u64,
    fence: Option<SandboxFence>,
    /// Home of every process of this judge; removed with it.
    scratch: private::TemporaryFolder,
    /// What it reads of the change; removed with it.
    _folder: Option<PacketCopy>,
}

impl Conversation for CommandConversation {
    fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        let mut env = self.env.clone();
        if let Some(model) = &self.model {
            env.push(("COUNCIL_MODEL".into(), model.into()));
        }
        env.push(("COUNCIL_ROUND".into(), turn.round.to_string().into()));
        env.push(("COUNCIL_KEY".into(), turn.key.clone().into()));
        if self.format != OutputFormat::Answer {
            return self.ask_tool(turn, &env, stop);
        }
        let program = GuardedProgram {
            argv: os_arguments(&self.argv),
            env: &env,
            dir: &self.dir,
            grace_ms: GRACE_MS,
            fence: self.fence.as_ref(),
        };
        let input = [self.brief.as_bytes(), turn.prompt.as_bytes()].concat();
        let is_whole = |stdout: &[u8]| is_whole_answer(&turn.key, stdout);
        let finished = run_once(&self.exe, &program, input, self.max_bytes, stop, &is_whole)?;
        if !finished.whole {
            return Err(oversized_failure(self.max_bytes).with_unread(&finished.stdout));
        }
        self.parse_reply(finished, &turn.key)
    }
}

impl CommandConversation {
    fn ask_tool(
        &self,
        turn: &Turn,
        env: &[(String, OsString)],
        stop: &StopSignal,
    ) -> Result<AgentReply, Failure> {
        let run = ToolRun {
            context: &self.context,
            argv: &self.argv,
            env,
            fence: self.fence.as_ref(),
            scratch: self.scratch.path(),
            format: self.format,
            rules: &self.rules,
            lists: self.known_tool().map_or(&[], |tool| tool.lists),
            stop,
        };
        let answer = run
            .review(&self.dir, turn)
            .map_err(|failure| self.with_version(failure))?;
        let raw = serde_json::to_string(&answer)
            .map_err(|error| Failure::new(FailureKind::Malformed, error.to_string()))?;
        Ok(AgentReply { raw, usage: None })
    }

    /// The tool of that name, where it is the program of that name.
    fn known_tool(&self) -> Option<&'static KnownTool> {
        known_tools::find_tool(&self.name).filter(|tool| tool.argv[0] == self.argv[0])
    }

    /// A tool that failed may be too old for the way in which it was asked. Asking each time would cost a start.
    fn with_version(&self, failure: Failure) -> Failure {
        let Some(tool) = self
            .known_tool()
            .filter(|_| failure.kind != FailureKind::Cancelled)
        else {
            return failure;
        };
        let client = Client {
            argv: self.argv.clone(),
            ..Client::default()
        };
        let told = installed::version_of(&self.context, &client);
        match told.ok().and_then(|told| tool.check_version(&told)) {
            Some(too_old) => Failure::new(failure.kind, format!("{too_old}; {}", failure.detail)),
            None => failure,
        }
    }

    /// What it wrote is its answer, however it ended; but what a program wrote before it was killed counts only where it is
    /// whole, and the receipt tells of it.
    fn parse_reply(&self, finished: FinishedProgram, key: &str) -> Result<AgentReply, Failure> {
        let ended = finished.describe_ending();
        let said = || match finished.noise.as_str() {
            "" => format!("`{}` ended ({ended}) and wrote nothing", self.argv[0]),
            noise => format!("`{}` ended ({ended}): {noise}", self.argv[0]),
        };
        let raw = &finished.stdout;
        if raw.iter().all(u8::is_ascii_whitespace) {
            return Err(
                Failure::new(FailureKind::Empty, said()).with_unread(finished.noise.as_bytes())
            );
        }
        let was_killed = finished.was_killed();
        if was_killed && !is_whole_answer(key, raw) {
            let program = &self.argv[0];
            let noise = match finished.noise.as_str() {
                "" => String::new(),
                noise => format!(": {noise}"),
            };
            let detail = format!("`{program}` ended ({ended}) before its answer was whole{noise}");
            return Err(Failure::new(FailureKind::Died, detail).with_unread(raw));
        }
        let raw = wide_text(raw).unwrap_or_else(|| raw.clone());
        let raw = String::from_utf8(raw).map_err(|error| {
            let detail = format!(
                "`{}` wrote bytes that are not UTF-8; let it write UTF-8, or ASCII with \\u escapes",
                self.argv[0]
            );
            Failure::new(FailureKind::Malformed, detail).with_unread(error.as_bytes())
        })?;
        let usage = was_killed.then(|| Usage {
            killed: Some(format!(
                "`{}` was killed ({ended}) after its answer",
                self.argv[0]
            )),
            ..Usage::default()
        });
        Ok(AgentReply { raw, usage })
    }
}

/// UTF-16 with its mark, which consoles of Windows write into pipes, as UTF-8.
fn wide_text(raw: &[u8]) -> Option<Vec<u8>> {
    let (rest, unit): (_, fn([u8; 2]) -> u16) = match raw {
        [0xff, 0xfe, rest @ ..] => (rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => (rest, u16::from_be_bytes),
        _ => return None,
    };
    let units: Vec<u16> = rest.as_chunks().0.iter().map(|two| unit(*two)).collect();
    String::from_utf16(&units).ok().map(String::into_bytes)
}

/// Whether a program has written all that its answer needs: an object with the key of its turn, and no other one behind it
/// that is still under way. Words may stand behind it, and more of them may come.
pub(crate) fn is_whole_answer(key: &str, stdout: &[u8]) -> bool {
    let text = readable_text(stdout);
    let last = objects_in(text).rfind(|(_, object)| object["key"] == key);
    last.is_some_and(|(end, _)| !text[end..].contains('{'))
}

/// The objects in a text that begin a line and have the key of their turn.
pub(crate) fn keyed_objects<'t>(key: &'t str, text: &'t [u8]) -> impl Iterator<Item = Value> + 't {
    let objects = objects_in(readable_text(text)).map(|(_, object)| object);
    objects.filter(move |object| object["key"] == key)
}

fn readable_text(text: &[u8]) -> &str {
    let fits = json::fits_in_memory(text, json::MESSAGE);
    let text = std::str::from_utf8(text).ok().filter(|_| fits);
    text.unwrap_or_default()
}

/// The objects that begin a line of a text, or the list or the mark of UTF-8 in front of which nothing stands, each with its
/// end. A comma too many does not matter: the council reads such an answer, too.
fn objects_in(text: &str) -> impl DoubleEndedIterator<Item = (usize, Value)> {
    let is_mark = |c: char| c.is_whitespace() || c == '[' || c == '\u{feff}';
    let first = text.find(|c| !is_mark(c)).unwrap_or(text.len());
    let is_begin = move |at: usize| at <= first || text[..at].ends_with('\n');
    let begins = text.match_indices('{').map(|(at, _)| at);
    let objects = begins.filter(move |at| is_begin(*at)).filter_map(|at| {
        let length = json::bracketed_length(&text[at..])?;
        let object = &text[at..at + length];
        let value = serde_json::from_slice(object.as_bytes()).or_else(|_| {
            let plain = json::without_trailing_commas(object);
            serde_json::from_slice(plain.as_bytes())
        });
        Some((at + length, value.ok()?))
    });
    objects.collect::<Vec<_>>().into_iter()
}

/// Whether a path may be a command's program: absolute, or a bare name for the `PATH`; never relative to the tree.
pub fn is_safe_program(program: &str) -> bool {
    !program.is_empty() && (Path::new(program).is_absolute() || !program.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::find_program;

    proptest::proptest! {
        /// Law: whatever form an answer has that the council reads, it is whole once its last brace is there, and not before; a
        /// second object that breaks off makes it none.
        #[test]
        fn an_answer_is_whole_with_its_last_brace(
            is_indented: bool, has_comma: bool, form in 0_usize..5, behind in 0_usize..4, cut in 0_usize..400,
        ) {
            let object = serde_json::json!({"round": 1, "key": "k1", "findings": [{"quote": "a { b"}], "verdict": "PASS"});
            let mut object = match is_indented {
                true => serde_json::to_string_pretty(&object).unwrap(),
                false => object.to_string(),
            };
            if has_comma {
                object.insert(object.len() - 1, ',');
            }
            let before = ["", "[", "\u{feff}", "Here:\n```json\n", "I looked at {x}.\n"][form];
            let behind = ["", "\n", "]\n", "\n```\nDone.\n"][behind];
            let whole = format!("{before}{object}");
            let said = format!("{whole}{behind}");
            proptest::prop_assert!(is_whole_answer("k1", said.as_bytes()), "{}", said);
            proptest::prop_assert!(!is_whole_answer("k2", said.as_bytes()));
            let cut = cut.min(whole.len() - 1);
            let broken = String::from_utf8_lossy(&whole.as_bytes()[..cut]).into_owned();
            proptest::prop_assert!(!is_whole_answer("k1", broken.as_bytes()), "{}", broken);
            let second = format!("{said}\n{{\"key\": \"k1\", \"verdict\": \"FA");
            proptest::prop_assert!(!is_whole_answer("k1", second.as_bytes()), "{}", second);
        }
    }

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
