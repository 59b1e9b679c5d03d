/* git_council.h - the C interface between git-council and a backend in a shared library.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * This file is the source of truth; plugins/abi/src/lib.rs mirrors it. It is experimental until git-council 1.0.
 * docs/backends.md says what stands in the JSON. Nothing but this file and a C compiler is needed.
 *
 * A backend runs judges. The library exports one function, git_council_backend_v1, which returns a table of seven
 * functions. The program calls them; the backend answers through the two functions that it is handed in open.
 *
 * Rules
 *
 *  1. Handshake. The program reads abi and struct_size before it touches anything else of the table, and so should you
 *     with gc_host. Later versions append functions; a shorter struct_size means that the tail is absent. A breaking
 *     change exports git_council_backend_v2 beside this one. The JSON has a protocol version of its own: open brings
 *     the versions that the program speaks, and the first event must be "opened" with one of them.
 *  2. Borrowed strings. A gc_str lives for the call that passes it, and the receiver copies what it keeps. Nothing is
 *     ever freed by the other side. The one exception is manifest, whose string must stay valid for ever.
 *  3. Statuses are numbers, reasons are events. Before a function returns GC_ERROR it emits an "error" event.
 *  4. Events are the only way in which data comes back. Events of a type that the program does not know are ignored.
 *  5. Calls return at once; the work goes on in your own threads. Only close may block. All calls of one session come
 *     from one thread, never two at a time; several sessions may be open, each with a thread of its own.
 *  6. emit and log may be called from any thread, also from within a call; they copy and never block. A judge that
 *     sends more than its budget (max_answer_bytes) fails as "oversized" and is cancelled.
 *  7. Deadlines. The program waits for a turn as long as its timeout_ms, for a judge's end as long as grace_ms and two
 *     seconds, and for close as long as what is left of that. Then it goes on without you.
 *  8. After close has returned, nothing may be emitted. (The program ignores what comes all the same; gc_host stays
 *     valid as long as the process lives.) After the "closed" event nothing comes either.
 *  9. The library is loaded once and never unloaded.
 * 10. No exception, panic or longjmp may leave a function of the table. Nothing is printed to stdout, which belongs to
 *     the program; use log. Signal handlers, the working directory, the environment and exit() are not yours.
 */
#ifndef GIT_COUNCIL_H
#define GIT_COUNCIL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. */
#define GIT_COUNCIL_ABI 1u

/* What a call returns. Anything else counts as GC_ERROR. */
#define GC_OK 0            /* accepted; what it leads to comes as an event */
#define GC_ERROR 1         /* refused; the reason was emitted as an "error" event */
#define GC_PANICKED 2      /* refused: an exception was caught on its way out */
#define GC_UNSUPPORTED 3   /* refused: the backend does not have the capability */
#define GC_CLOSED 4        /* refused: the session is closing */
#define GC_UNKNOWN_JUDGE 5 /* refused: there is no such judge */

/* Levels of log. */
#define GC_LOG_ERROR 1
#define GC_LOG_WARN 2
#define GC_LOG_INFO 3
#define GC_LOG_DEBUG 4

/* UTF-8 without a terminating NUL, borrowed for the call. ptr may be NULL when len is 0. */
typedef struct gc_str {
  const uint8_t *ptr;
  size_t len;
} gc_str;

/* One session of a backend: yours, and opaque to the program. */
typedef struct gc_session gc_session;

/* What the program gives to open. Valid as long as the process lives: keep the pointer. */
typedef struct gc_host {
  uint32_t struct_size; /* sizeof(gc_host) as the program was built */
  uint32_t abi;         /* GIT_COUNCIL_ABI as the program was built */
  void *ctx;            /* hand it back */
  /* Hands in one event, a JSON object. */
  void (*emit)(void *ctx, gc_str event);
  /* Hands in one line for the program's log, without a newline. */
  void (*log)(void *ctx, int32_t level, gc_str message);
} gc_host;

/* What the library gives to the program. Static; no member may be NULL. */
typedef struct gc_backend {
  uint32_t struct_size; /* sizeof(gc_backend) */
  uint32_t abi;         /* GIT_COUNCIL_ABI */

  /* The manifest, a JSON object: name, version, protocols, capabilities, limits. Valid for ever. */
  gc_str (*manifest)(void);

  /* Opens a session. hello is a JSON object: the versions that the program speaks, the run's name and folder, and the
   * backend's own configuration. On GC_OK *session is not NULL and "opened" has been or will be emitted. */
  int32_t (*open)(const gc_host *host, gc_str hello, gc_session **session);

  /* Seats a judge, a JSON object. Answered by "started" or "failed".
   * Needs the capability "spawn" for more than one judge at a time. */
  int32_t (*spawn)(gc_session *session, gc_str judge_spec);

  /* A "probe" or a "turn", a JSON object. Answered by "probed", or by "answered" or "failed".
   * Needs the capability "message" for more than one turn of a judge. */
  int32_t (*send)(gc_session *session, gc_str message);

  /* Interrupts the turn of a judge, which stays seated. The turn is answered by "failed" of the kind "cancelled". */
  int32_t (*cancel)(gc_session *session, gc_str judge);

  /* Asks one judge to end within grace_ms milliseconds, then ends it. Answered by "ended".
   * A backend without the capability "shutdown" returns GC_UNSUPPORTED; its judges end with the session. */
  int32_t (*shutdown)(gc_session *session, gc_str judge, uint32_t grace_ms);

  /* Ends every judge that is left, at once, emits "closed", and frees the session. Called once for each session. It
   * may block until nothing of the session runs any more. */
  int32_t (*close)(gc_session *session);
} gc_backend;

#if defined(_WIN32)
#define GC_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define GC_EXPORT __attribute__((visibility("default")))
#else
#define GC_EXPORT
#endif

/* The one symbol that a backend library exports. */
GC_EXPORT const gc_backend *git_council_backend_v1(void);

#ifdef __cplusplus
}
#endif

#endif /* GIT_COUNCIL_H */
