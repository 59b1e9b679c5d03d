// Runs action.yml by its own rules, as far as it uses them: inputs with defaults, expressions, conditions, outputs, and
// each step's script in a shell that has nothing but what a runner gives it. What it does not know is an error, never a
// guess.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const WORD = /\s*(?:('(?:[^']|'')*')|(always\(\))|([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)|(==|!=|&&|!))/y;

const isTrue = (value) => value !== '' && value !== false;

// The value of `inputs.mode == 'gate' && …`; `find` knows the names.
export function evaluate(text, find) {
  const words = [];
  WORD.lastIndex = 0;
  while (WORD.lastIndex < text.trimEnd().length) {
    const at = WORD.lastIndex;
    const found = WORD.exec(text);
    assert.ok(found, `not understood at ${at}: ${text}`);
    words.push(found);
  }
  const takes = (sign) => words[0]?.[4] === sign && words.shift();
  const one = () => {
    if (takes('!')) return !isTrue(one());
    const [, string, always, name] = words.shift() ?? assert.fail(`ends too early: ${text}`);
    if (string) return string.slice(1, -1).replaceAll("''", "'");
    if (always) return true;
    assert.ok(name, `not understood: ${text}`);
    return find(name);
  };
  // GitHub compares strings without regard to case.
  const plain = (value) => String(value).toLowerCase();
  const compared = () => {
    const left = one();
    if (takes('==')) return plain(left) === plain(one());
    if (takes('!=')) return plain(left) !== plain(one());
    return left;
  };
  let value = compared();
  while (takes('&&')) {
    const other = compared();
    value = isTrue(value) ? other : value;
  }
  assert.equal(words.length, 0, `not understood: ${text}`);
  return value;
}

const fill = (text, find) => String(text).replace(/\$\{\{(.*?)\}\}/g, (_, inside) => String(evaluate(inside, find)));

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

const KNOWN_KEYS = ['name', 'id', 'if', 'shell', 'env', 'run', 'uses', 'with', 'continue-on-error'];
const SYSTEM = ['/usr/local/bin', '/usr/bin', '/bin'];

function inputsOf(action, given, find) {
  for (const name of Object.keys(given)) assert.ok(action.inputs[name], `action.yml has no input ${name}`);
  return mapValues(action.inputs, ({ default: usual = '' }, name) => given[name] ?? fill(usual, find));
}

// What a step wrote with `name=value` or between marks.
function readOutputs(file) {
  const outputs = {};
  const lines = readFileSync(file, 'utf8').split('\n');
  while (lines.length) {
    const line = lines.shift();
    const block = /^([\w-]+)<<(.+)$/.exec(line);
    const pair = /^([\w-]+)=(.*)$/.exec(line);
    if (block) {
      const end = lines.indexOf(block[2]);
      assert.ok(end >= 0, `no end of ${block[1]}`);
      outputs[block[1]] = lines.splice(0, end + 1).slice(0, -1).join('\n');
    } else if (pair) outputs[pair[1]] = pair[2];
    else assert.equal(line, '', `an output is not understood: ${line}`);
  }
  return outputs;
}

function runScript(file, cwd, env) {
  return new Promise((done) => {
    const child = spawn('/bin/bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], { cwd, env });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
    child.on('close', (code) => done({ code, said }));
  });
}

// One job: `action` is action.yml as read, `place` its folder, `work` an empty folder, `clone` the checkout, `job` the job's
// own variables. Returns the conclusion, the action's outputs, what was said, the steps of others, the summary, and the
// seconds.
export async function runAction(action, { place, work, clone, token, inputs: given = {}, job = {} }) {
  const paths = { home: join(work, 'home'), temp: join(work, 'temp') };
  for (const folder of Object.values(paths)) mkdirSync(folder, { recursive: true });
  const files = Object.fromEntries(['OUTPUT', 'PATH', 'ENV', 'STEP_SUMMARY'].map((name) => [name, join(work, name)]));
  const outputs = {};
  let inputs = {};
  const find = (name) => {
    const [context, ...rest] = name.split('.');
    if (context === 'inputs' && rest[0] in inputs) return inputs[rest[0]];
    if (context === 'steps' && rest[1] === 'outputs') return outputs[rest[0]]?.[rest[2]] ?? '';
    const known = { 'github.action_path': place, 'github.token': token, 'runner.temp': paths.temp };
    assert.ok(name in known, `${name} is not known`);
    return known[name];
  };
  inputs = inputsOf(action, given, find);
  const result = { conclusion: 'success', said: '', others: [], began: Date.now() };
  let path = SYSTEM;
  for (const name of ['STEP_SUMMARY', 'PATH', 'ENV']) writeFileSync(files[name], '');
  for (const [number, step] of action.runs.steps.entries()) {
    const unknown = Object.keys(step).filter((key) => !KNOWN_KEYS.includes(key));
    assert.deepEqual(unknown, [], `step ${step.name} has keys that are not known`);
    const condition = step.if === undefined ? true : isTrue(evaluate(String(step.if), find));
    const before = result.conclusion === 'success' || String(step.if).includes('always()');
    if (!condition || !before) continue;
    if (step.uses) {
      result.others.push({ uses: step.uses.split('@')[0], with: mapValues(step.with ?? {}, (value) => fill(value, find)) });
      continue;
    }
    assert.equal(step.shell, 'bash', `step ${step.name} names its shell`);
    const script = join(work, `${number}.sh`);
    writeFileSync(script, fill(step.run, find));
    writeFileSync(files.OUTPUT, '');
    const own = mapValues(step.env ?? {}, (value) => fill(value, find));
    const there = Object.fromEntries(Object.entries(files).map(([name, file]) => [`GITHUB_${name}`, file]));
    const runner = { PATH: path.join(':'), HOME: paths.home, RUNNER_TEMP: paths.temp, CI: 'true', GITHUB_ACTIONS: 'true' };
    const env = { ...runner, ...there, ...job, ...own };
    const { code, said } = await runScript(script, clone, env);
    result.said += said;
    if (code !== 0 && step['continue-on-error'] !== true) result.conclusion = 'failure';
    if (step.id) outputs[step.id] = readOutputs(files.OUTPUT);
    path = [...readFileSync(files.PATH, 'utf8').split('\n').filter(Boolean).reverse(), ...SYSTEM];
  }
  result.seconds = (Date.now() - result.began) / 1000;
  result.path = path;
  result.summary = readFileSync(files.STEP_SUMMARY, 'utf8');
  result.outputs = mapValues(action.outputs, ({ value }) => fill(value, find));
  return result;
}
