/* The testee protocol (docs/protocol.md) for testees written in C: lines in,
 * lines out. An adapter says what it supports and answers two questions. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key. `bytes` is never NULL for an empty one: librdkafka takes a NULL
 * pointer for "no key". */
struct key {
    const void *bytes;
    size_t length;
};

/* Which partitions of a topic have a leader; their ids are 0 .. count - 1. */
struct topic_layout {
    int32_t count;
    int32_t *leaders; /* -1: none */
};

/* Where a record goes, or the library's error. */
struct outcome {
    int32_t partition;
    const char *error; /* NULL: none */
    const char *kind;  /* the protocol's word for it */
};

struct adapter {
    const char *name;
    const char *version;
    json_t *behaviours; /* of the hello; owned by the caller */

    /* Keyed: one partition for each key, all of one topic. True, or false and
     * `why` says why it could not be tried. */
    bool (*keyed)(const struct topic_layout *, const struct key *keys, size_t n, int32_t *answers,
                  const char **why);

    /* The same for n records without a key. */
    bool (*keyless)(const struct topic_layout *, size_t n, int32_t *answers, const char **why);

    /* A record that names its partition (-1: none), with a key or none (its
     * bytes are NULL). */
    bool (*named)(const struct topic_layout *, int32_t partition, const struct key *,
                  struct outcome *, const char **why);
};

/* Says hello, answers until the end of the input; the program's exit code. */
int serve(const struct adapter *adapter);

/* malloc that ends the program instead of returning NULL. */
void *allocate(size_t size);

#endif
