/* A testee in C, to read: murmur2 keyed and round-robin (docs/protocol.md, docs/behaviours.md).
 * Debian: apt-get install gcc pkg-config libjansson-dev
 * Build:  cc -O2 -o testee testee.c $(pkg-config --cflags --libs jansson)
 * Run:    kafka-conformance testee -- ./testee                                              */
#define _GNU_SOURCE /* getline */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define HELLO "{\"type\": \"hello\", \"protocol\": 1, \"name\": \"example\", \"version\": \"1\", \"language\": \"C\"," \
    "\"behaviours\": {\"keyed\": {\"mode\": \"exact\", \"records\": true, \"cannot\": [\"null topics\"]}," \
    "\"round-robin\": {\"mode\": \"exact\", \"records\": true, \"cannot\": [\"null topics\", \"null metadata\", \"set counters\"]}}}"
static uint32_t digit(char c) { return (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10); }
static uint32_t byte(const char *hex, size_t i) { return digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]); }
/* Unsigned arithmetic wraps as Java's int does; signed overflow would be undefined in C. */
static uint32_t murmur2(const char *hex) {
    const uint32_t m = 0x5bd1e995;
    size_t length = strlen(hex) / 2, i = 0;
    uint32_t h = 0x9747b28c ^ (uint32_t)length;
    for (; i + 4 <= length; i += 4) {
        uint32_t k = byte(hex, i) | byte(hex, i + 1) << 8 | byte(hex, i + 2) << 16 | byte(hex, i + 3) << 24;
        k *= m, k ^= k >> 24;
        h = (h * m) ^ (k * m);
    }
    for (size_t rest = 0; i + rest < length; rest++) /* the 0 to 3 bytes that are left */
        h ^= byte(hex, i + rest) << 8 * rest;
    h = i < length ? h * m : h, h = (h ^ h >> 13) * m;
    return h ^ h >> 15;
}
static json_t *error(const char *kind) { return json_pack("{s:s}", "error", kind); }
/* An index modulo the count, not an id. 64 bits hold what Java's remainder may be handed. */
static json_t *keyed(const json_t *key, int64_t count) {
    const char *hex = json_string_value(json_object_get(key, "hex"));
    if (!hex || count == 0) /* Java has no array, or divides by zero */
        return error(hex ? "arithmetic" : "null");
    return json_integer((int64_t)(murmur2(hex) & 0x7fffffff) % count); /* toPositive: a mask, no abs() */
}
/* A counter for each topic, from 0; the partitions with a leader, or all if none has one. */
static json_t *round_robin(json_t *counters, const char *topic, const json_t *partitions) {
    json_t *partition;
    json_int_t count = json_integer_value(json_object_get(counters, topic));
    size_t all = json_array_size(partitions), available = 0, i;
    json_object_set_new(counters, topic, json_integer(count + 1));
    json_array_foreach(partitions, i, partition) available += !json_is_null(json_array_get(partition, 1));
    if (available == 0)
        return all == 0 ? error("arithmetic") : json_integer(count % (json_int_t)all);
    size_t skip = (size_t)count % available;
    json_array_foreach(partitions, i, partition)
        if (!json_is_null(json_array_get(partition, 1)) && skip-- == 0)
            return json_incref(json_array_get(partition, 0));
    return error("other");
}
static json_t *step(const json_t *c, const json_t *s, json_t *counters, int is_keyed) {
    json_t *count = json_object_get(s, "partitions"), *topic = json_object_get(s, "topic"), *entry;
    json_int_t at = json_integer_value(json_object_get(s, "metadata"));
    json_t *snapshot = json_array_get(json_object_get(c, "metadata"), (size_t)at), *found = NULL;
    if (count) /* "partition for key" has a bare count */
        return keyed(json_object_get(s, "key"), json_integer_value(count));
    if (json_is_null(snapshot))
        return error("null");
    size_t i;
    json_array_foreach(snapshot, i, entry) if (json_equal(json_array_get(entry, 0), topic))
        found = json_array_get(entry, 1); /* an unknown topic has no partition: size 0 */
    return is_keyed ? keyed(json_object_get(s, "key"), (int64_t)json_array_size(found))
                    : round_robin(counters, json_string_value(topic), found);
}
static json_t *answer(const json_t *q) {
    const char *type = json_string_value(json_object_get(q, "type"));
    int cases = strcmp(type, "cases") == 0;
    if (strcmp(type, "hello") == 0) /* what is left out: see the table of "cannot" */
        return json_loads(HELLO, 0, NULL);
    json_t *list = json_array(), *partitions = json_object_get(q, "partitions"), *c, *s;
    int is_keyed = strcmp(json_string_value(json_object_get(q, "behaviour")), "keyed") == 0;
    json_t *counters = json_object(), *keys = json_object_get(q, "keys");
    size_t i, j, n = keys ? json_array_size(keys) : (size_t)json_integer_value(json_object_get(q, "count"));
    for (i = 0; !cases && i < n; i++) {
        json_t *key = json_pack("{s:O?}", "hex", json_array_get(keys, i));
        json_array_append_new(list, is_keyed ? keyed(key, (int64_t)json_array_size(partitions))
                                             : round_robin(counters, "t", partitions));
        json_decref(key);
    }
    json_array_foreach(json_object_get(q, "cases"), i, c) {
        json_t *trace = json_array();
        json_object_clear(counters); /* each case starts afresh */
        json_array_foreach(json_object_get(c, "steps"), j, s)
            json_array_append_new(trace, step(c, s, counters, is_keyed));
        json_array_append_new(list, trace);
    }
    json_decref(counters);
    type = cases ? "traces" : "partitions"; /* the answer's, and its list's name */
    return json_pack("{s:s, s:O, s:o}", "type", type, "id", json_object_get(q, "id"), type, list);
}
int main(void) {
    char *line = NULL;
    for (size_t size = 0; getline(&line, &size, stdin) > 0; fflush(stdout)) {
        json_t *question = json_loads(line, JSON_ALLOW_NUL, NULL), *reply = answer(question);
        json_dumpf(reply, stdout, JSON_COMPACT);
        putchar('\n'), json_decref(reply), json_decref(question);
    }
}
