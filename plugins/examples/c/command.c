/* A backend in C: every judge is a run of one command that its configuration names.
 *
 *   {"argv": ["my-linter", "--council"]}
 *
 * The command is found on PATH. It gets the brief and the prompt on stdin, works in the judge's room, and writes its
 * answer, one JSON object, to stdout. Each judge has a thread of its own. A run keeps nothing for a next turn, so the
 * backend does not claim "message": a second turn is refused as unsupported, and a debate ends after its first round.
 *
 *   cc -shared -fPIC -pthread -I plugins/abi/include -o command.so plugins/examples/c/command.c
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "git_council.h"
#include "json.h"

typedef struct judge {
  gc_session *session;
  struct judge *next;
  char *name; /* as JSON, as it stands in events */
  char *brief, *room, *prompt;
  long long limit, turn; /* the most bytes of an answer; the number of the turn */
  long long timeout;     /* when the turn is over */
  long long end;         /* when a judge that was asked to end must have done so; 0: it was not asked */
  int asked;             /* it had its turn */
  int busy, cancelled, forced, ended;
  pid_t pid;
  pthread_t thread;
} judge;

struct gc_session {
  const gc_host *host;
  char *argv[64];
  pthread_mutex_t lock; /* guards the judges */
  pthread_cond_t wake;
  judge *judges;
};

static long long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

__attribute__((format(printf, 2, 3))) static void emit(const gc_host *host, const char *format, ...) {
  char *event = NULL;
  va_list args;
  va_start(args, format);
  int len = vasprintf(&event, format, args);
  va_end(args);
  if (len >= 0) host->emit(host->ctx, (gc_str){(uint8_t *)event, (size_t)len}), free(event);
}

static int32_t refuse(const gc_host *host, const char *why) {
  emit(host, "{\"type\":\"error\",\"message\":\"%s\"}", why);
  return GC_ERROR;
}

static void emit_failed(judge *j, const char *kind, const char *detail) {
  emit(j->session->host,
       "{\"type\":\"failed\",\"judge\":%s,\"turn\":%lld,\"failure\":{\"kind\":\"%s\",\"detail\":\"%s\"}}",
       j->name, j->turn, kind, detail);
}

/* Starts the command as the leader of a process group. It sees four variables, none of which holds a token. */
static pid_t start(judge *j, FILE *in, FILE *out) {
  char storage[4][4096], *env[5] = {0};
  const char *names[] = {"PATH", "HOME", "LANG", "TMPDIR"};
  for (int i = 0, n = 0; i < 4; i++) {
    const char *value = getenv(names[i]);
    if (!value || snprintf(storage[n], 4096, "%s=%s", names[i], value) >= 4096) continue;
    env[n] = storage[n], n++;
  }
  posix_spawn_file_actions_t files;
  posix_spawnattr_t group;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, fileno(in), 0);
  posix_spawn_file_actions_adddup2(&files, fileno(out), 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addchdir_np(&files, *j->room ? j->room : "/");
  sigset_t defaults; /* SIGPIPE, which the program ignores */
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_init(&group);
  posix_spawnattr_setsigdefault(&group, &defaults);
  posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  int error = posix_spawnp(&pid, j->session->argv[0], &files, &group, j->session->argv, env);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&group);
  return error ? 0 : pid;
}

/* Waits until the command ends, or ends it with everything in its group. Gives the kind of failure, if it is one. */
static const char *await(judge *j, FILE *out) {
  const char *kind = NULL;
  siginfo_t info = {0};
  struct stat file = {0};
  while (waitid(P_PID, (id_t)j->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && !info.si_pid) {
    usleep(10 * 1000);
    fstat(fileno(out), &file);
    pthread_mutex_lock(&j->session->lock);
    if (j->end && now_ms() >= j->end) j->forced = 1;
    if (file.st_size > j->limit) kind = "oversized";
    else if (now_ms() >= j->timeout) kind = "timeout";
    else if (j->cancelled || j->end) kind = "cancelled";
    int in_its_grace = j->end && !j->forced;
    if (kind && !in_its_grace) kill(-j->pid, SIGKILL);
    pthread_mutex_unlock(&j->session->lock);
  }
  kill(-j->pid, SIGKILL); /* what it left behind: its number is its own until it is waited for */
  pthread_mutex_lock(&j->session->lock);
  waitpid(j->pid, NULL, 0);
  j->pid = 0;
  pthread_mutex_unlock(&j->session->lock);
  if (kind) return kind;
  fstat(fileno(out), &file);
  if (file.st_size > j->limit) return "oversized";
  if (file.st_size == 0) return info.si_code == CLD_EXITED ? "empty" : "died";
  return NULL;
}

static void emit_answered(judge *j, FILE *out) {
  uint8_t *answer = malloc((size_t)j->limit);
  rewind(out);
  char *raw = json_quote(answer, fread(answer, 1, (size_t)j->limit, out));
  emit(j->session->host, "{\"type\":\"answered\",\"judge\":%s,\"turn\":%lld,\"raw\":%s}", j->name, j->turn, raw);
  free(raw);
  free(answer);
}

/* The judge's turn. Files instead of pipes: a command that does not read, or does not stop writing, blocks nobody. */
static void run(judge *j) {
  const char *kind = "spawn";
  FILE *in = tmpfile(), *out = tmpfile();
  if (in && out && fputs(j->brief, in) >= 0 && fputs(j->prompt, in) >= 0 && !fflush(in)) {
    rewind(in);
    pthread_mutex_lock(&j->session->lock);
    if (j->end) kind = "cancelled";
    else j->pid = start(j, in, out);
    pthread_mutex_unlock(&j->session->lock);
  }
  if (j->pid) kind = await(j, out);
  if (kind) emit_failed(j, kind, strcmp(kind, "spawn") ? "there is no answer" : "the command could not be started");
  else emit_answered(j, out);
  if (in) fclose(in);
  if (out) fclose(out);
}

/* A judge: waits for its turn, and for its end. */
static void *live(void *self) {
  judge *j = self;
  gc_session *s = j->session;
  emit(s->host, "{\"type\":\"started\",\"judge\":%s}", j->name);
  pthread_mutex_lock(&s->lock);
  while (!j->end) {
    if (!j->busy) {
      pthread_cond_wait(&s->wake, &s->lock);
      continue;
    }
    pthread_mutex_unlock(&s->lock);
    run(j);
    pthread_mutex_lock(&s->lock);
    j->busy = 0;
  }
  if (j->busy) emit_failed(j, "cancelled", "the judge was asked to end"); /* a turn that it had not begun */
  j->ended = 1;
  pthread_mutex_unlock(&s->lock);
  emit(s->host, "{\"type\":\"ended\",\"judge\":%s,\"ending\":\"%s\"}", j->name, j->forced ? "forced" : "graceful");
  return NULL;
}

#define CAPABILITIES "\"capabilities\":[\"spawn\",\"shutdown\"]"

static gc_str manifest(void) {
  static const char json[] = "{\"name\":\"command\",\"version\":\"1\",\"protocols\":[1]," CAPABILITIES "}";
  return (gc_str){(const uint8_t *)json, sizeof json - 1};
}

static int32_t open_session(const gc_host *host, gc_str hello, gc_session **session) {
  if (host->abi != GIT_COUNCIL_ABI || host->struct_size < sizeof *host) return GC_ERROR;
  gc_str protocols = json_at(hello, "protocols"), argv = json_at(hello, "config.argv");
  int speaks = 0, words = 0;
  for (long i = 0; json_item(protocols, i).len; i++) speaks |= json_number(json_item(protocols, i)) == 1;
  while (json_item(argv, words).len) words++;
  if (!speaks) return refuse(host, "the command backend speaks protocol 1 only");
  if (words < 1 || words > 63) return refuse(host, "set config.argv to a command and at most 62 arguments");
  gc_session *s = calloc(1, sizeof *s);
  for (int i = 0; i < words; i++) s->argv[i] = json_string(json_item(argv, i));
  s->host = host;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->wake, NULL);
  *session = s;
  emit(host, "{\"type\":\"opened\",\"protocol\":1}");
  return GC_OK;
}

static int32_t spawn(gc_session *s, gc_str spec) {
  gc_str name = json_at(spec, "seat.judge");
  judge *j = calloc(1, sizeof *j);
  j->session = s;
  j->name = strndup((const char *)name.ptr, name.len);
  j->brief = json_string(json_at(spec, "brief"));
  j->room = json_string(json_at(spec, "room"));
  j->limit = json_number(json_at(spec, "max_answer_bytes"));
  pthread_mutex_lock(&s->lock);
  int error = pthread_create(&j->thread, NULL, live, j);
  if (!error) {
    j->next = s->judges;
    s->judges = j;
  }
  pthread_mutex_unlock(&s->lock);
  return error ? refuse(s->host, "no thread is left for a judge") : GC_OK;
}

/* Locks the session and finds a judge by its name, which comes with quotes where it is a part of a message. */
static judge *lock(gc_session *s, gc_str name) {
  size_t quote = name.len && *name.ptr == '"' ? 0 : 1;
  pthread_mutex_lock(&s->lock);
  judge *j = s->judges;
  while (j && (strlen(j->name) != name.len + 2 * quote || memcmp(j->name + quote, name.ptr, name.len))) j = j->next;
  return j;
}

static int32_t unlock(gc_session *s, int32_t status) {
  pthread_mutex_unlock(&s->lock);
  return status;
}

static int32_t send_message(gc_session *s, gc_str message) {
  gc_str probed = json_at(message, "seat.judge");
  if (probed.len) {
    const char *name = (const char *)probed.ptr;
    emit(s->host, "{\"type\":\"probed\",\"judge\":%.*s," CAPABILITIES "}", (int)probed.len, name);
    return GC_OK;
  }
  judge *j = lock(s, json_at(message, "judge"));
  if (!j || j->end) return unlock(s, GC_UNKNOWN_JUDGE);
  if (j->asked) return unlock(s, GC_UNSUPPORTED);
  j->asked = j->busy = 1;
  j->turn = json_number(json_at(message, "turn.id"));
  j->prompt = json_string(json_at(message, "turn.prompt"));
  j->timeout = now_ms() + json_number(json_at(message, "turn.timeout_ms"));
  pthread_cond_broadcast(&s->wake);
  return unlock(s, GC_OK);
}

static int32_t cancel(gc_session *s, gc_str name) {
  judge *j = lock(s, name);
  if (j) j->cancelled = 1;
  return unlock(s, j ? GC_OK : GC_UNKNOWN_JUDGE);
}

/* Asks a judge to end; the session is locked. */
static void ask_to_end(judge *j, long long grace_ms) {
  if (j->pid) kill(-j->pid, SIGTERM);
  j->end = now_ms() + grace_ms;
  pthread_cond_broadcast(&j->session->wake);
}

static int32_t shutdown_judge(gc_session *s, gc_str name, uint32_t grace_ms) {
  judge *j = lock(s, name);
  if (j && !j->ended) ask_to_end(j, grace_ms);
  return unlock(s, j ? GC_OK : GC_UNKNOWN_JUDGE);
}

static int32_t close_session(gc_session *s) {
  pthread_mutex_lock(&s->lock);
  for (judge *j = s->judges; j; j = j->next) ask_to_end(j, 0);
  pthread_mutex_unlock(&s->lock);
  for (judge *j = s->judges, *next; j; j = next) {
    next = j->next;
    pthread_join(j->thread, NULL);
    free(j->name), free(j->brief), free(j->room), free(j->prompt), free(j);
  }
  emit(s->host, "{\"type\":\"closed\"}");
  for (char **word = s->argv; *word; word++) free(*word);
  free(s);
  return GC_OK;
}

const gc_backend *git_council_backend_v1(void) {
  static const gc_backend table = {sizeof table, GIT_COUNCIL_ABI, manifest,       open_session, spawn,
                                   send_message, cancel,          shutdown_judge, close_session};
  return &table;
}
