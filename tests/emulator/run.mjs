// Reviews a pull request of the emulator and reads back what came of it: see ../emulator.sh.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { evaluate, runAction } from './action.mjs';

const [program, tools, work, source] = process.argv.slice(2);
const { createEmulator } = await import(join(tools, 'emulate/dist/api.js'));
const { parse } = (await import(join(tools, 'yaml/dist/index.js'))).default;

const REPO = 'octocat/project';
const CONFLICT = 'fn a() {\n<<<<<<< HEAD\n    one();\n=======\n    two();\n>>>>>>> topic\n}\n';
const hub = await createEmulator({
  service: 'github',
  port: 0,
  seed: {
    tokens: { ours: { login: 'octocat' }, theirs: { login: 'mallory' } },
    github: {
      users: [{ login: 'octocat' }, { login: 'mallory' }],
      repos: [{ owner: 'octocat', name: 'project', auto_init: true }],
    },
  },
});

async function api(method, path, body, token = 'ours') {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const reply = await fetch(`${hub.url}/repos/${REPO}${path}`, { method, headers, body: body && JSON.stringify(body) });
  const json = reply.status === 204 ? null : await reply.json();
  assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${JSON.stringify(json)}`);
  return json;
}

// ---------------------------------------------------------------------------------------------------------------------
// A repository on disk whose pull request 1 is also the emulator's.

const home = join(work, 'home');
const clone = join(work, 'clone');
const remote = join(work, REPO + '.git');
for (const folder of [home, clone, remote]) mkdirSync(folder, { recursive: true });
const people = { GIT_AUTHOR_NAME: 'T', GIT_AUTHOR_EMAIL: 't@example.com', GIT_COMMITTER_NAME: 'T', GIT_COMMITTER_EMAIL: 't@example.com' };
const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', ...people };
const git = (...args) => execFileSync('git', args, { cwd: clone, env, encoding: 'utf8' }).trim();

function commit(path, text) {
  mkdirSync(join(clone, path, '..'), { recursive: true });
  writeFileSync(join(clone, path), text);
  git('add', '--all');
  git('commit', '--quiet', '--message', `Write ${path}`);
  return git('rev-parse', 'HEAD');
}

execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote], { env });
git('init', '--quiet', '--initial-branch=main', '.');
git('remote', 'add', 'origin', remote);
commit('README.md', '# A project\n');
git('push', '--quiet', 'origin', 'main');

// Our commit id to the emulator's, which makes up its own.
const twins = new Map();
let head;

async function propose(path, text) {
  head = commit(path, text);
  git('push', '--quiet', '--force', 'origin', 'HEAD:refs/pull/1/head');
  // Writing a file is how the emulator makes a commit.
  const content = Buffer.from(text + twins.size).toString('base64');
  const there = await api('PUT', `/contents/file${twins.size}`, { message: 'm', content, branch: 'main' });
  twins.set(head, there.commit.sha);
}

await propose('src/a.rs', CONFLICT);
// A pull request's number is all that is needed of it: the rest follows from the query.
await api('POST', '/issues', { title: 'Stands for pull request 1' });

// ---------------------------------------------------------------------------------------------------------------------
// What stands before the emulator.

let asked = [];
const swap = (text, turn) => [...twins].reduce((out, [ours, theirs]) => (turn ? out.replaceAll(theirs, ours) : out.replaceAll(ours, theirs)), text);

async function serve(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  // As a proxy it is asked by the whole address.
  const path = request.url.replace(/^http:\/\/[^/]+/, '');
  asked.push(`${request.method} ${path}`);
  const authorization = request.headers.authorization ?? '';
  if (path === '/graphql') {
    const { login } = await (await fetch(`${hub.url}/user`, { headers: { authorization } })).json();
    const none = { pageInfo: { hasNextPage: false }, nodes: [] };
    // The emulator's own check runs, as GraphQL tells them with the commit.
    const { withCheck, check: name } = JSON.parse(body).variables ?? {};
    const there = withCheck ? (await checks()).filter((check) => check.name === name) : [];
    const runs = there.map(({ id, external_id: externalId, status }) => ({ externalId, status: status.toUpperCase(), url: `${hub.url}/runs/${id}` }));
    const suites = { pageInfo: { hasNextPage: false }, nodes: [{ checkRuns: { pageInfo: { hasNextPage: false }, nodes: runs } }] };
    const pullRequest = {
      number: 1, headRefOid: head, baseRefName: 'main', baseRefOid: git('rev-parse', 'main~1'), state: 'OPEN', isDraft: false,
      isCrossRepository: false, title: 'A title', body: '', reviewThreads: none, reviews: none,
      commits: { nodes: [{ commit: { oid: head, checkSuites: suites } }] },
    };
    const data = { viewer: { login }, repository: { defaultBranchRef: { name: 'main' }, pullRequest } };
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ data }));
  }
  const headers = { authorization, 'content-type': 'application/json' };
  const method = request.method;
  const reply = await fetch(hub.url + swap(path), { method, headers, body: body ? swap(body) : undefined });
  const link = reply.headers.get('link');
  response.writeHead(reply.status, { 'content-type': 'application/json', ...(link && { link }) });
  return response.end(swap(await reply.text(), true));
}

const listen = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));
const plain = http.createServer(serve);
const secure = https.createServer({ key: readFileSync(join(work, 'key.pem')), cert: readFileSync(join(work, 'cert.pem')) }, serve);
let tunnels = 0;
const proxy = http.createServer(serve);
proxy.on('connect', (request, socket) => {
  tunnels += 1;
  // The name is nobody's but here: whoever is this machine by name or number is asked without a proxy.
  const [, port] = request.url.split(':');
  const to = net.connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    to.pipe(socket).pipe(to);
  });
  to.on('error', () => socket.destroy());
  socket.on('error', () => to.destroy());
});
const [plainPort, securePort, proxyPort] = [await listen(plain), await listen(secure), await listen(proxy)];
const address = (base) => ({ GITHUB_API_URL: base, GITHUB_GRAPHQL_URL: `${base}/graphql` });

function council(args, more = {}) {
  const vars = { ...env, GITHUB_REPOSITORY: REPO, GITHUB_TOKEN: 'ours', ...address(`http://127.0.0.1:${plainPort}`), ...more };
  return new Promise((done) => {
    const child = spawn(program, args, { cwd: clone, env: vars });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
    child.on('close', (code) => done({ code, said }));
  });
}

const comments = async () => api('GET', '/issues/1/comments?per_page=100');
const ours = async () => (await comments()).filter((comment) => comment.user.login === 'octocat');
const checks = async () => (await api('GET', `/commits/${twins.get(head)}/check-runs`)).check_runs;
const REVIEW = ['review', '--pr', '1', '--publish', 'comment,check'];

async function step(name, test) {
  await test();
  console.log(`emulator: ${name}: ok`);
}

// ---------------------------------------------------------------------------------------------------------------------

await step('a report and a check', async () => {
  const { code, said } = await council(REVIEW);
  assert.equal(code, 1, said);
  const [report, ...others] = await ours();
  assert.ok(report.body.includes('# FAIL') && report.body.includes(twins.get(head)), report.body);
  assert.deepEqual(others, []);
  const [check, ...more] = await checks();
  assert.deepEqual([check.status, check.conclusion], ['completed', 'failure']);
  assert.ok(check.output.annotations_count > 0);
  assert.deepEqual(more, []);
});

await step('nothing changed', async () => {
  asked = [];
  const { code, said } = await council(REVIEW);
  assert.equal(code, 1, said);
  assert.match(said, /reused: /);
  assert.ok(asked.length <= 2, asked.join('\n'));
  assert.ok(asked.every((line) => line.startsWith('GET') || line === 'POST /graphql'), asked.join('\n'));
});

// What the Action publishes by default: a comment.
await step('nothing changed, a comment alone', async () => {
  asked = [];
  const { code, said } = await council(['review', '--pr', '1', '--publish', 'comment']);
  assert.equal(code, 1, said);
  assert.ok(asked.length <= 2, asked.join('\n'));
});

await step('somebody pastes the report', async () => {
  const [report] = await ours();
  await api('DELETE', `/issues/comments/${report.id}`);
  await api('POST', '/issues/1/comments', { body: report.body }, 'theirs');
  const runs = await Promise.all([1, 2].map(() => council(['publish', '--pr', '1', '--publish', 'comment'])));
  for (const { code, said } of runs) assert.equal(code, 1, said);
  await council(['publish', '--pr', '1', '--publish', 'comment']);
  assert.equal((await ours()).length, 1);
  assert.equal((await comments()).length, 2);
});

await step('a push that mends it', async () => {
  const [before] = await ours();
  await propose('src/a.rs', 'fn a() {\n    one();\n}\n');
  await propose('tests/a.rs', '#[test]\nfn a_runs() {\n    project::a();\n}\n');
  asked = [];
  const { code, said } = await council(REVIEW);
  assert.equal(code, 0, said);
  assert.ok(asked.length <= 6, asked.join('\n'));
  const [report, ...others] = await ours();
  assert.equal(report.id, before.id);
  assert.deepEqual(others, []);
  assert.match(report.body, /# PASS/);
  assert.match(report.body, /resolved: `src\/a\.rs:/);
  const [check] = await checks();
  assert.deepEqual([check.status, check.conclusion], ['completed', 'success']);
});

await step('a certificate of the company', async () => {
  const there = address(`https://localhost:${securePort}`);
  const refused = await council(REVIEW, there);
  assert.equal(refused.code, 3, refused.said);
  assert.match(refused.said, /certificate|UnknownIssuer/i);
  const trusted = await council(REVIEW, { ...there, SSL_CERT_FILE: join(work, 'ca.pem') });
  assert.equal(trusted.code, 0, trusted.said);
  assert.match(trusted.said, /reused: /);
});

await step('through a proxy', async () => {
  const through = `http://127.0.0.1:${proxyPort}`;
  const trusted = { SSL_CERT_FILE: join(work, 'ca.pem'), HTTPS_PROXY: through };
  const tunnelled = await council(REVIEW, { ...address(`https://ghe.invalid:${securePort}`), ...trusted });
  assert.equal(tunnelled.code, 0, tunnelled.said);
  assert.ok(tunnels > 0);
  const before = tunnels;
  const plainly = await council(REVIEW, { ...address('http://ghe.invalid'), HTTP_PROXY: through });
  assert.equal(plainly.code, 0, plainly.said);
  const around = { ...address(`https://localhost:${securePort}`), ...trusted };
  assert.equal((await council(REVIEW, around)).code, 0);
  assert.equal(tunnels, before);
});

// ---------------------------------------------------------------------------------------------------------------------
// action.yml itself, step by step, in the job of a pull request.

// The Action as a release's tag has it: its own files, and the digest of the archive that a server has.
const place = join(work, 'action');
const action = parse(readFileSync(join(source, 'action.yml'), 'utf8'));
const version = /^version = "(.*)"/m.exec(readFileSync(join(source, 'Cargo.toml'), 'utf8'))[1];
for (const name of ['action.yml', 'Cargo.toml', '.github/action']) {
  cpSync(join(source, name), join(place, name), { recursive: true });
}
const cpu = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
const target = `${cpu}-${process.platform === 'darwin' ? 'apple-darwin' : 'unknown-linux-gnu'}`;
const releases = join(work, 'releases');
const archive = join(releases, `v${version}`, `git-council-${version}-${target}.tar.xz`);
mkdirSync(join(archive, '..'), { recursive: true });
mkdirSync(join(work, 'packed'));
cpSync(program, join(work, 'packed', 'git-council'));
// Not at once: the emulator lives in this process, and would let its connections go.
const quick = { ...process.env, XZ_OPT: '-1' };
await promisify(execFile)('tar', ['-cJf', archive, '-C', join(work, 'packed'), 'git-council'], { env: quick });
const digest = createHash('sha256').update(readFileSync(archive)).digest('hex');
writeFileSync(join(place, '.github/action/checksums.txt'), `${version} ${target} ${digest}\n`);

let jobs = 0;

// A job as actions/checkout leaves it by default: the merge commit alone, without any history.
function checkout() {
  const folder = join(work, `job-${(jobs += 1)}`);
  const there = join(folder, 'clone');
  mkdirSync(there, { recursive: true });
  const merge = git('commit-tree', '-p', 'origin/main', '-p', head, '-m', 'Merge', `${head}^{tree}`);
  git('push', '--quiet', '--force', 'origin', `${merge}:refs/pull/1/merge`);
  const inside = (...args) => execFileSync('git', args, { cwd: there, env });
  inside('init', '--quiet', '.');
  inside('remote', 'add', 'origin', `file://${join(work, REPO)}`);
  inside('fetch', '--quiet', '--no-tags', '--depth=1', 'origin', `+${merge}:refs/remotes/pull/1/merge`);
  inside('checkout', '--quiet', '--force', 'refs/remotes/pull/1/merge');
  return { folder, there, merge };
}

async function runJob(inputs = {}) {
  const { folder, there, merge } = checkout();
  const repo = { full_name: REPO, default_branch: 'main' };
  const pull = { number: 1, state: 'open', draft: false, title: 'A title', body: '',
    head: { sha: head, ref: 'topic', repo }, base: { sha: git('rev-parse', 'origin/main'), ref: 'main', repo } };
  const event = join(folder, 'event.json');
  writeFileSync(event, JSON.stringify({ action: 'synchronize', number: 1, pull_request: pull, repository: repo }));
  asked = [];
  const job = {
    GITHUB_REPOSITORY: REPO, GITHUB_SERVER_URL: `file://${work}`, ...address(`http://127.0.0.1:${plainPort}`),
    GITHUB_EVENT_NAME: 'pull_request', GITHUB_EVENT_PATH: event, GITHUB_REF: 'refs/pull/1/merge',
    GITHUB_BASE_REF: 'main', GITHUB_SHA: merge, GITHUB_RUN_ID: '7', GITHUB_WORKSPACE: there,
    // The server and the releases are files here.
    COUNCIL_FILE_PROTOCOL: 'always', COUNCIL_RELEASES: `file://${releases}`,
  };
  return runAction(action, { place, work: folder, clone: there, token: 'ours', inputs, job });
}

await step('the rules of actions', async () => {
  const find = (name) => ({ 'inputs.a': 'X', 'steps.b.outputs.c': '' })[name] ?? assert.fail(`${name} is not known`);
  const known = {
    "inputs.a == 'x'": true, "inputs.a != 'x' && always()": false, '!steps.b.outputs.c': true,
    "always() && steps.b.outputs.c == ''": true, "inputs.a && 'it''s'": "it's",
  };
  for (const [text, wanted] of Object.entries(known)) assert.equal(evaluate(text, find), wanted, text);
  const unknown = ['inputs.z', 'failure()', "inputs.a || 'x'", "contains(inputs.a, 'x')", 'inputs.a ==', "inputs.a 'x'"];
  for (const text of unknown) assert.throws(() => evaluate(text, find), text);
  await assert.rejects(runJob({ modus: 'gate' }), /no input modus/);
});

await step('the Action: the first review', async () => {
  for (const comment of await ours()) await api('DELETE', `/issues/comments/${comment.id}`);
  await propose('src/b.rs', CONFLICT);
  const { conclusion, outputs, said, others, summary, seconds } = await runJob();
  assert.equal(conclusion, 'failure', said);
  assert.deepEqual([outputs.verdict, outputs.recognised], ['fail', 'false'], said);
  assert.ok(existsSync(outputs['json-path']) && existsSync(outputs['html-path']) && outputs['comment-url'], said);
  // A review that failed keeps its page, too.
  const kept = others.map(({ uses, with: { path } }) => [uses, path]);
  assert.deepEqual(kept, [['actions/upload-artifact', outputs['html-path']]]);
  assert.match(summary, /FAIL/);
  assert.equal((await ours()).length, 1);
  assert.ok(asked.length <= 6, asked.join('\n'));
  assert.ok(seconds < 30, `it took ${seconds} s`);
  console.log(`emulator: the first review took ${seconds.toFixed(1)} s and ${asked.length} requests`);
});

await step('the Action: nothing changed', async () => {
  const { conclusion, outputs, said, seconds } = await runJob();
  assert.equal(conclusion, 'failure', said);
  assert.deepEqual([outputs.verdict, outputs.recognised], ['fail', 'true'], said);
  assert.ok(asked.length <= 2, asked.join('\n'));
  console.log(`emulator: the second one took ${seconds.toFixed(1)} s and ${asked.length} requests`);
});

await step('the Action: advice fails no job', async () => {
  const { conclusion, outputs, said } = await runJob({ mode: 'advisory' });
  assert.deepEqual([conclusion, outputs.verdict], ['success', 'fail'], said);
});

await step('the Action: a push', async () => {
  await propose('src/b.rs', 'fn a() {\n    one();\n}\n');
  await propose('tests/b.rs', '#[test]\nfn b_runs() {\n    project::b();\n}\n');
  const { conclusion, outputs, said, seconds } = await runJob();
  assert.deepEqual([conclusion, outputs.verdict, outputs.recognised], ['success', 'pass', 'false'], said);
  assert.ok(asked.length <= 6, asked.join('\n'));
  const [report] = await ours();
  assert.match(report.body, /resolved: `src\/b\.rs:/);
  console.log(`emulator: after a push it took ${seconds.toFixed(1)} s and ${asked.length} requests`);
});

await step('the Action: the program alone', async () => {
  const { conclusion, outputs, said, path, others } = await runJob({ 'install-only': 'true' });
  assert.deepEqual([conclusion, outputs.verdict, others, asked], ['success', '', [], []], said);
  const told = execFileSync('git-council', ['--version'], { env: { PATH: path.join(':') }, encoding: 'utf8' });
  assert.ok(told.includes(version), told);
});

for (const server of [plain, secure, proxy]) {
  server.close();
  server.closeAllConnections();
}
await hub.close();
