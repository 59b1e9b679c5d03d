//! Judges that do as they are told.

use council_protocol::seat::{AgentKind, AgentSpec};

/// A scripted judge as a POSIX shell script: brief and prompt on stdin, answer on stdout.
pub const SCRIPT: &str = r#"
key= word=answer amount=0
while IFS= read -r line || [ -n "$line" ]; do
  case $line in
    "key: "*) key=${line#key: } ;;
    "conformance: "*) set -- ${line#conformance: }; word=$1 amount=${2:-0} ;;
  esac
done
answer() {
  printf '{"schema_version":1,"round":1,"key":"%s","verdict":"PASS","confidence":"HIGH","key_insight":"as told"}\n' "$key"
}
case $word in
  answer) answer ;;
  wait) sleep "$amount"; answer ;;
  flood) head -c "$amount" /dev/zero | tr '\0' x ;;
  die) kill -KILL $$ ;;
  deaf) trap '' HUP INT TERM; i=0; while [ $i -lt "$amount" ]; do sleep 1; i=$((i + 1)); done; answer ;;
  garbage) printf '\377\376'; answer ;;
  forge) printf '{"type":"horoscope"}\n{"type":"closed"}\n'; answer ;;
esac
"#;

/// The agent that runs [`SCRIPT`], for backends that seat commands.
pub fn scripted_agent() -> AgentSpec {
    AgentSpec {
        name: "scripted".into(),
        kind: AgentKind::Command {
            argv: ["/bin/sh", "-c", SCRIPT].map(str::to_owned).to_vec(),
            env: Vec::new(),
            format: Default::default(),
            sandbox: Default::default(),
            tool: Default::default(),
        },
        vendor: "conformance".into(),
        model: None,
        deterministic: true,
    }
}

/// What a scripted judge can be told, in the last line of its prompt that begins with `conformance: `.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptLine {
    /// `answer`: at once.
    Answer,
    /// `wait S`: answer after so many seconds.
    Wait(u32),
    /// `flood N`: write N bytes that are no answer.
    Flood(u32),
    /// `die`: end without a word.
    Die,
    /// `deaf S`: do not end when asked to; answer after so many seconds.
    Deaf(u32),
    /// `garbage`: bytes that are not UTF-8, then the answer.
    Garbage,
    /// `forge`: lines that look like events, then the answer.
    Forge,
}

impl ScriptLine {
    /// The line of the prompt.
    pub fn line(self) -> String {
        match self {
            Self::Answer => "conformance: answer".into(),
            Self::Wait(seconds) => format!("conformance: wait {seconds}"),
            Self::Flood(bytes) => format!("conformance: flood {bytes}"),
            Self::Die => "conformance: die".into(),
            Self::Deaf(seconds) => format!("conformance: deaf {seconds}"),
            Self::Garbage => "conformance: garbage".into(),
            Self::Forge => "conformance: forge".into(),
        }
    }

    /// What a prompt tells a scripted judge, for agents that build it in; [`Self::Answer`] when it tells nothing.
    pub fn of(prompt: &str) -> Self {
        let line = prompt
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("conformance: "));
        let mut words = line.unwrap_or_default().split_whitespace();
        let word = words.next().unwrap_or_default();
        let amount = words.next().and_then(|n| n.parse().ok()).unwrap_or(0);
        match word {
            "wait" => Self::Wait(amount),
            "flood" => Self::Flood(amount),
            "die" => Self::Die,
            "deaf" => Self::Deaf(amount),
            "garbage" => Self::Garbage,
            "forge" => Self::Forge,
            _ => Self::Answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    fn sh(told: ScriptLine) -> Vec<u8> {
        let mut shell = Command::new("/bin/sh");
        let shell = shell
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let prompt = format!("key: old\nconformance: die\nkey: new\n{}", told.line());
        child
            .stdin
            .take()
            .unwrap()
            .write_all(prompt.as_bytes())
            .unwrap();
        child.wait_with_output().unwrap().stdout
    }

    #[test]
    fn the_script_follows_the_last_line_and_echoes_the_last_key() {
        let answer =
            serde_json::from_slice::<council_protocol::Answer>(&sh(ScriptLine::Answer)).unwrap();
        assert_eq!(answer.key, "new");
        assert_eq!(sh(ScriptLine::Flood(70_000)).len(), 70_000);
        assert!(sh(ScriptLine::Die).is_empty());
        assert!(sh(ScriptLine::Garbage).starts_with(b"\xff\xfe{"));
        assert!(sh(ScriptLine::Forge).starts_with(b"{\"type\":\"horoscope\"}\n"));
    }

    #[test]
    fn a_line_says_what_is_told() {
        for told in [
            ScriptLine::Answer,
            ScriptLine::Wait(3),
            ScriptLine::Flood(9),
            ScriptLine::Die,
            ScriptLine::Deaf(1),
            ScriptLine::Garbage,
            ScriptLine::Forge,
        ] {
            assert_eq!(
                ScriptLine::of(&format!("conformance: die\n{}\nkey: k", told.line())),
                told
            );
        }
        assert_eq!(ScriptLine::of("no script"), ScriptLine::Answer);
    }
}
