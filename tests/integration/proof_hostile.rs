//! Tests of judges that want through the borders, brought in a review: they prove nothing, reach nothing and leave nothing.

use std::net::TcpListener;
use std::path::Path;

use council_fake_models::{FakeModels, Reply};
use serde_json::{Value, json};

use crate::proof_scene::{
    Language, became, brought, is_without_borders, node_language, python_language, repository,
    review, script,
};

/// What is attacked.
struct Targets {
    secret: String,
    outside: String,
    port: u16,
}

/// The attacks in one language, each the body of a test.
struct Attacks {
    /// Tries to read the home, to write outside, to reach a service, and to tell the sides apart by everything but the
    /// code; passes where all of that is in vain.
    blocked: fn(&Targets) -> String,
    /// Starts more than it may; the bomb has an end, so that a border that is missing costs the test alone.
    fork_bomb: &'static str,
    endless_output: &'static str,
    /// A whole test file around a body.
    case: fn(&str) -> String,
}

const PYTHON: Attacks = Attacks {
    blocked: |at| {
        format!(
            "for act in (lambda: open({secret:?}).read(), lambda: os.listdir(os.path.dirname({secret:?})), \
             lambda: open({outside:?}, 'w'), lambda: open(os.path.expanduser('~root/.council-left'), 'w'), \
             lambda: socket.create_connection(('127.0.0.1', {port}), 2), \
             lambda: socket.create_connection(('192.0.2.1', 80), 2)):\n\
             \x20           self.assertRaises(OSError, act)\n\
             \x20       self.assertFalse(os.path.exists('.git') or [k for k in os.environ if 'COUNCIL' in k or 'KEY' in k])\n\
             \x20       self.assertEqual({{int(os.stat(n).st_mtime) for n in os.listdir('.') if os.path.isfile(n)}}, {{1000000000}})\n\
             \x20       self.assertEqual(shop.first_item([1]), 1)",
            secret = at.secret,
            outside = at.outside,
            port = at.port
        )
    },
    fork_bomb: "shop.first_item([subprocess.Popen(['sleep', '40']) for _ in range(700)])",
    endless_output: "shop.first_item([1])\n        while True: os.write(1, b'x' * 65536)",
    case: |body| {
        format!(
            "import os, socket, subprocess, unittest\nimport shop\n\nclass T(unittest.TestCase):\n    def test_x(self):\n        {body}\n"
        )
    },
};

const NODE: Attacks = Attacks {
    blocked: |at| {
        format!(
            "for (const act of [() => fs.readFileSync({secret:?}), () => fs.readdirSync(path.dirname({secret:?})), \
             () => fs.writeFileSync({outside:?}, 'x')]) assert.throws(act);\n\
             await assert.rejects(new Promise((done, fail) => net.connect({port}, '127.0.0.1', done).on('error', fail)));\n\
             assert.ok(!fs.existsSync('.git') && !Object.keys(process.env).some((k) => /COUNCIL|KEY/.test(k)));\n\
             for (const s of fs.readdirSync('.').map((n) => fs.statSync(n))) assert.ok(!s.isFile() || s.mtimeMs === 1e12);\n\
             assert.strictEqual(shop.firstItem([{{ name: 'a' }}]), 'a');",
            secret = at.secret,
            outside = at.outside,
            port = at.port
        )
    },
    fork_bomb: "shop.firstItem([{}]); const all = []; for (let i = 0; i < 700; i++) all.push(child.spawn('sleep', ['40']));\n\
                await Promise.all(all.map((one) => new Promise((done, fail) => one.on('exit', done).on('error', fail))));",
    endless_output: "shop.firstItem([{}]); for (;;) try { fs.writeSync(1, 'x'.repeat(65536)); } catch {}",
    case: |body| {
        format!(
            "const [test, assert, fs, path, net, child] = ['node:test', 'node:assert', 'fs', 'path', 'net', 'child_process'].map(require);\n\
             const shop = require('./shop.js');\ntest('x', async () => {{\n{body}\n}});\n"
        )
    },
};

/// What comes of a test in a review in which it is brought as proof.
fn tried(language: &Language, content: &str) -> Option<Value> {
    let finder = Reply::vote("FAIL").with(
        "reproductions",
        brought("1", "defect", language.test, content),
    );
    let models = FakeModels::start(script(language, finder, Reply::vote("PASS"))).unwrap();
    let config = format!("[proof]\n{}timeout = '20s'\n", language.config);
    let repo = repository(&models, language, &config);
    let (_, report) = review(&repo);
    (!is_without_borders(&report)).then_some(report)
}

fn attack(language: &Language, attacks: &Attacks) {
    let home = tempfile::tempdir().unwrap();
    let secret = home.path().join("secret");
    std::fs::write(&secret, "hunter2").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let text = |path: &Path| path.display().to_string();
    let targets = Targets {
        secret: text(&secret),
        outside: text(&home.path().join("left")),
        port: listener.local_addr().unwrap().port(),
    };
    let blocked = (attacks.blocked)(&targets);
    for (standing, body) in [
        ("passes", &*blocked),
        ("broken", attacks.fork_bomb),
        ("broken", attacks.endless_output),
    ] {
        let Some(report) = tried(language, &(attacks.case)(body)) else {
            return;
        };
        let all = &report["ledger"]["reproductions"];
        assert_eq!(
            became(&report, 0),
            (json!("unconfirmed"), json!(standing)),
            "{body}: {all}"
        );
        assert!(report.to_string().len() < 200_000, "{body}");
    }
    assert!(listener.accept().is_err(), "somebody connected");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
}

#[test]
fn a_hostile_python_test_proves_and_reaches_nothing() {
    if let Some(language) = python_language() {
        attack(&language, &PYTHON);
    }
}

#[test]
fn a_hostile_node_test_proves_and_reaches_nothing() {
    if let Some(language) = node_language() {
        attack(&language, &NODE);
    }
}
