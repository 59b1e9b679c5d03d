/* A backend that misbehaves on purpose, for the tests of the host.
 *
 * What cannot be chosen at run time is chosen when it is compiled: -DNO_SYMBOL, -DNO_TABLE, -DWRONG_ABI, -DSHORT_TABLE,
 * -DNULL_FUNCTION, -DNO_MANIFEST, -DBAD_MANIFEST, -DOTHER_PROTOCOL, -DHANGS_WHEN_LOADED. The rest is said by a word in
 * the configuration. Unless told otherwise a turn is answered with its key; only the judge named "bad" misbehaves.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "git_council.h"

struct gc_session {
  const gc_host *host;
  char word[64];
};

static gc_str text(const char *s) { return (gc_str){(const uint8_t *)s, strlen(s)}; }

static void emit(const gc_host *host, const char *event) { host->emit(host->ctx, text(event)); }

/* The JSON string or number behind the first "name": in a text; good enough for what the tests send. */
static void field(gc_str json, const char *name, char *out, size_t size) {
  char *copy = malloc(json.len + 1), quoted[64];
  memcpy(copy, json.ptr, json.len);
  copy[json.len] = 0;
  snprintf(quoted, sizeof quoted, "\"%s\":", name);
  const char *at = strstr(copy, quoted);
  out[0] = 0;
  if (at) {
    at += strlen(quoted);
    if (*at == '"') at++;
    size_t len = strcspn(at, "\",}");
    if (len >= size) len = size - 1;
    memcpy(out, at, len);
    out[len] = 0;
  }
  free(copy);
}

static int told(const gc_session *s, const char *word) { return strcmp(s->word, word) == 0; }

static gc_str manifest(void) {
#if defined(NO_MANIFEST)
  return (gc_str){NULL, 0};
#elif defined(BAD_MANIFEST)
  return text("{\"name\":");
#elif defined(OTHER_PROTOCOL)
  return text("{\"name\":\"odd\",\"version\":\"1\",\"protocols\":[7],\"capabilities\":[]}");
#else
#if defined(HANGS_WHEN_LOADED)
  for (;;) pause();
#endif
  return text("{\"name\":\"misbehaving\",\"version\":\"1\",\"protocols\":[1],\"from\":\"the future\",\"capabilities\":"
              "[\"spawn\",\"message\",\"shutdown\",\"time-travel\"],\"limits\":{\"max_message_bytes\":4096}}");
#endif
}

static int32_t open_session(const gc_host *host, gc_str hello, gc_session **out) {
  gc_session *s = calloc(1, sizeof *s);
  s->host = host;
  field(hello, "misbehave", s->word, sizeof s->word);
  if (told(s, "refuses-to-open") || told(s, "refuses-without-reason")) {
    if (told(s, "refuses-to-open")) emit(host, "{\"type\":\"error\",\"message\":\"no licence found\"}");
    free(s);
    return GC_ERROR;
  }
  if (told(s, "odd-status")) return 77;
  if (told(s, "opens-without-session")) return GC_OK;
  *out = s;
  if (told(s, "never-opens")) return GC_OK;
  if (told(s, "speaks-too-early")) emit(host, "{\"type\":\"started\",\"judge\":\"bad\"}");
  emit(host, told(s, "wrong-version") ? "{\"type\":\"opened\",\"protocol\":2}" : "{\"type\":\"opened\",\"protocol\":1}");
  return GC_OK;
}

static int32_t spawn(gc_session *s, gc_str spec) {
  char judge[64], event[128];
  field(spec, "judge", judge, sizeof judge);
  if (told(s, "error-with-reason") && !strcmp(judge, "bad")) {
    emit(s->host, "{\"type\":\"error\",\"message\":\"no chair is left\"}");
    return GC_ERROR;
  }
  if (told(s, "unsupported") && !strcmp(judge, "bad")) return GC_UNSUPPORTED;
  snprintf(event, sizeof event, "{\"type\":\"started\",\"judge\":\"%s\"}", judge);
  emit(s->host, event);
  return GC_OK;
}

/* An answered event of `size` bytes of answer, or a dozen that make up as much. */
static void flood(gc_session *s, const char *judge, const char *id, size_t size) {
  char *event = malloc(size + 256);
  int head = snprintf(event, 256, "{\"type\":\"answered\",\"judge\":\"%s\",\"turn\":%s,\"raw\":\"", judge, id);
  memset(event + head, 'x', size);
  memcpy(event + head + size, "\"}", 3);
  emit(s->host, event);
  free(event);
}

static void misbehave(gc_session *s, const char *judge, const char *id) {
  char event[256];
  if (told(s, "floods")) flood(s, judge, id, 50 * 1000 * 1000);
  if (told(s, "drips")) {
    snprintf(event, sizeof event, "{\"type\":\"horoscope\",\"judge\":\"%s\",\"sign\":\"leo\"}", judge);
    for (int i = 0; i < 200000; i++) emit(s->host, event);
  }
  if (told(s, "invalid-json")) {
    snprintf(event, sizeof event, "{\"type\":\"answered\",\"judge\":\"%s\",\"turn\":%s,\"raw\":oops", judge, id);
    emit(s->host, event);
  }
  if (told(s, "invalid-utf8")) {
    snprintf(event, sizeof event, "{\"type\":\"answered\",\"judge\":\"%s\",\"turn\":%s,\"raw\":\"\xff\xfe\"}", judge, id);
    emit(s->host, event);
  }
  if (told(s, "empty-events")) {
    s->host->emit(s->host->ctx, (gc_str){NULL, 0});
    s->host->emit(s->host->ctx, (gc_str){NULL, 4096});
    emit(s->host, "[]");
  }
  if (told(s, "closes-itself")) emit(s->host, "{\"type\":\"closed\"}");
  if (told(s, "hangs")) for (;;) pause();
  if (told(s, "logs"))
    for (int i = 0; i < 100000; i++) s->host->log(s->host->ctx, GC_LOG_INFO, text("the same line again and again"));
}

static int32_t send_message(gc_session *s, gc_str message) {
  char type[32], judge[64], id[16], key[64], event[512];
  field(message, "type", type, sizeof type);
  field(message, "judge", judge, sizeof judge);
  if (strcmp(type, "probe") == 0) {
    snprintf(event, sizeof event, "{\"type\":\"probed\",\"judge\":\"%s\",\"capabilities\":[\"spawn\",\"message\"]}", judge);
    emit(s->host, event);
    return GC_OK;
  }
  field(message, "id", id, sizeof id);
  field(message, "key", key, sizeof key);
  if (strcmp(judge, "bad") == 0) {
    misbehave(s, judge, id);
    if (!told(s, "unknown-events")) return GC_OK;
    emit(s->host, "{\"type\":\"horoscope\",\"judge\":\"bad\"}");
  }
  snprintf(event, sizeof event, "{\"type\":\"answered\",\"judge\":\"%s\",\"turn\":%s,\"raw\":\"%s\"}", judge, id, key);
  emit(s->host, event);
  return GC_OK;
}

static int32_t cancel(gc_session *s, gc_str judge) {
  (void)s, (void)judge;
  return GC_OK;
}

static int32_t shutdown_judge(gc_session *s, gc_str judge, uint32_t grace_ms) {
  char event[128];
  (void)grace_ms;
  if (told(s, "never-ends")) return GC_OK;
  snprintf(event, sizeof event, "{\"type\":\"ended\",\"judge\":\"%.*s\",\"ending\":\"graceful\"}", (int)judge.len,
           (const char *)judge.ptr);
  emit(s->host, event);
  return GC_OK;
}

static void *late(void *host) {
  for (int i = 0; i < 50; i++) {
    usleep(10 * 1000);
    emit(host, "{\"type\":\"error\",\"message\":\"a word from beyond\"}");
    ((const gc_host *)host)->log(((const gc_host *)host)->ctx, GC_LOG_INFO, text("and a line"));
  }
  return NULL;
}

static int32_t close_session(gc_session *s) {
  pthread_t thread;
  if (told(s, "never-closes")) for (;;) pause();
  emit(s->host, "{\"type\":\"closed\"}");
  if (told(s, "emits-after-close")) pthread_create(&thread, NULL, late, (void *)s->host);
  free(s);
  return GC_OK;
}

#if defined(WRONG_ABI)
#define ABI 2
#else
#define ABI GIT_COUNCIL_ABI
#endif

#if defined(SHORT_TABLE)
#define SIZE (sizeof(gc_backend) - sizeof(void *))
#else
#define SIZE sizeof(gc_backend)
#endif

#if defined(NULL_FUNCTION)
#define CANCEL (0 ? cancel : NULL)
#else
#define CANCEL cancel
#endif

static const gc_backend table = {
    .struct_size = SIZE,
    .abi = ABI,
    .manifest = manifest,
    .open = open_session,
    .spawn = spawn,
    .send = send_message,
    .cancel = CANCEL,
    .shutdown = shutdown_judge,
    .close = close_session,
};

#if defined(NO_SYMBOL)
const gc_backend *some_other_library(void);
const gc_backend *some_other_library(void) { return &table; }
#elif defined(NO_TABLE)
const gc_backend *git_council_backend_v1(void) { return table.abi ? NULL : &table; }
#else
const gc_backend *git_council_backend_v1(void) { return &table; }
#endif
