/* Just enough JSON for a backend in C: walk what the program sends, quote what goes back.
 *
 * The program sends JSON without white space between tokens and always well formed, which is what makes this short. A
 * backend that reads other JSON wants a real library.
 */
#ifndef COUNCIL_JSON_H
#define COUNCIL_JSON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "git_council.h"

static const gc_str json_none = {NULL, 0};

/* The end of the value at p. */
static const uint8_t *json_skip(const uint8_t *p, const uint8_t *end) {
  int depth = 0;
  do {
    if (*p == '"') {
      for (p++; p < end && *p != '"'; p++) p += *p == '\\';
      p++;
    } else if (*p == '{' || *p == '[') {
      depth++, p++;
    } else if (*p == '}' || *p == ']') {
      depth--, p++;
    } else {
      for (p++; p < end && !strchr(",:{}[]\"", *p);) p++;
    }
  } while (depth > 0 && p < end);
  return p < end ? p : end;
}

/* The member of an object with a name of name_len bytes, or the item of an array; json_none when there is none. */
static gc_str json_get(gc_str json, const char *name, size_t name_len, long item) {
  if (json.len < 2 || (*json.ptr != '{' && *json.ptr != '[')) return json_none;
  int object = *json.ptr == '{';
  const uint8_t *p = json.ptr + 1, *end = json.ptr + json.len;
  while (p < end && *p != '}' && *p != ']') {
    int wanted = !object && item-- == 0;
    if (object) {
      const uint8_t *key = p;
      p = json_skip(p, end);
      wanted = (size_t)(p - key) == name_len + 2 && !memcmp(key + 1, name, name_len);
      p++; /* the colon */
    }
    const uint8_t *value = p;
    p = json_skip(p, end);
    if (wanted) return (gc_str){value, (size_t)(p - value)};
    if (p < end && *p == ',') p++;
  }
  return json_none;
}

static gc_str json_item(gc_str array, long item) { return json_get(array, "", 0, item); }

/* The member at a path of names: json_at(message, "turn.id"). */
static gc_str json_at(gc_str json, const char *path) {
  while (json.len && *path) {
    size_t len = strcspn(path, ".");
    json = json_get(json, path, len, 0);
    path += len + (path[len] == '.');
  }
  return json;
}

static long long json_number(gc_str json) { return json.len ? strtoll((const char *)json.ptr, NULL, 10) : 0; }

/* Writes one character as UTF-8. */
static char *json_put(char *out, unsigned long c) {
  if (c < 0x80) {
    *out++ = (char)c;
    return out;
  }
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  *out++ = (char)((0xf00 >> more) | (c >> (6 * more)));
  while (more--) *out++ = (char)(0x80 | ((c >> (6 * more)) & 0x3f));
  return out;
}

static unsigned long json_hex(const uint8_t *digits) {
  char text[5] = {0};
  memcpy(text, digits, 4);
  return strtoul(text, NULL, 16);
}

/* The text of a string, to be freed; "" for anything else. A NUL in it ends it. */
static char *json_string(gc_str json) {
  char *text = calloc(1, json.len + 1), *out = text;
  if (!json.len || *json.ptr != '"') return text;
  for (const uint8_t *p = json.ptr + 1; p < json.ptr + json.len - 1; p++) {
    const char *short_form = strchr("b\bf\fn\nr\rt\t", p[1]);
    if (*p != '\\') {
      *out++ = (char)*p;
    } else if (*++p != 'u') {
      *out++ = short_form ? short_form[1] : (char)*p;
    } else {
      unsigned long c = json_hex(p + 1);
      p += 4;
      if (c >> 10 == 0x36) { /* the first half of a surrogate pair */
        c = 0x10000 + ((c & 0x3ff) << 10) + (json_hex(p + 3) & 0x3ff);
        p += 6;
      }
      out = json_put(out, c);
    }
  }
  return text;
}

/* How many bytes the UTF-8 character at s has; 0 when it is none (RFC 3629, section 4). */
static size_t json_utf8(const uint8_t *s, size_t left) {
  uint8_t c = s[0], low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80, high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
  size_t size = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
  if (size > left || (size > 1 && (s[1] < low || s[1] > high))) return 0;
  for (size_t i = 2; i < size; i++)
    if (s[i] < 0x80 || s[i] > 0xbf) return 0;
  return size;
}

/* Any bytes as a JSON string, to be freed; what is not UTF-8 becomes U+FFFD. */
static char *json_quote(const uint8_t *bytes, size_t len) {
  char *text = malloc(6 * len + 3), *out = text;
  *out++ = '"';
  for (size_t i = 0; i < len;) {
    size_t size = json_utf8(bytes + i, len - i);
    if (size == 0) {
      out = json_put(out, 0xfffd);
    } else if (size == 1 && (bytes[i] < 0x20 || bytes[i] == '"' || bytes[i] == '\\')) {
      out += sprintf(out, "\\u%04x", bytes[i]);
    } else {
      memcpy(out, bytes + i, size);
      out += size;
    }
    i += size ? size : 1;
  }
  memcpy(out, "\"", 2);
  return text;
}

#endif /* COUNCIL_JSON_H */
