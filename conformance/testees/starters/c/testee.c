/* A testee to start from: it answers keyed, and "not yet" to whatever else is asked.
 * Needs:  a C compiler, pkg-config and jansson with its headers (Debian: libjansson-dev)
 * Build:  cc -O2 -o testee testee.c $(pkg-config --cflags --libs jansson)
 * Run:    kafka-conformance testee -- ./testee
 * What is asked, and how to go on: docs/write-a-testee.md. Every rule: docs/protocol.md. */
#define _GNU_SOURCE /* getline */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t murmur2(const uint8_t *key, size_t length);

/* Your code goes here: replace the body by a call of your own partitioner. */
static int32_t partition_for_key(const uint8_t *key, size_t length, int32_t partitions) {
    return (int32_t)(murmur2(key, length) & 0x7fffffff) % partitions;
}

/* Java's hash. Delete it when your own code is called. */
static uint32_t murmur2(const uint8_t *key, size_t length) {
    const uint32_t m = 0x5bd1e995;
    uint32_t h = 0x9747b28c ^ (uint32_t)length;
    for (; length >= 4; key += 4, length -= 4) {
        uint32_t k = key[0] | key[1] << 8 | key[2] << 16 | (uint32_t)key[3] << 24;
        k *= m, k ^= k >> 24;
        h = (h * m) ^ (k * m);
    }
    for (size_t i = 0; i < length; i++)
        h ^= (uint32_t)key[i] << 8 * i;
    if (length > 0)
        h *= m;
    h = (h ^ h >> 13) * m;
    return h ^ h >> 15;
}

/* What you support: docs/protocol.md has all behaviours, and the words of "cannot". */
static const char HELLO[] =
    "{\"type\": \"hello\", \"protocol\": 1, \"name\": \"my partitioner\", \"version\": \"0.1\","
    " \"language\": \"C\", \"behaviours\": {\"keyed\": {\"mode\": \"exact\", \"claims\": [\"3.8.0\"],"
    " \"operations\": [\"partition\"],"
    " \"cannot\": [\"null metadata\", \"unknown topics\", \"null topics\"]}}}";

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }
static uint8_t *bytes(const char *hex, size_t length) {
    uint8_t *key = malloc(length + 1); /* never of size 0 */
    for (size_t i = 0; i < length; i++)
        key[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    return key;
}

/* One answer for each step of a case. Each case starts afresh: keep no state across. */
static json_t *trace(const char *behaviour, const json_t *one) {
    json_t *answers = json_array(), *step, *entry;
    size_t i, j;
    json_array_foreach(json_object_get(one, "steps"), i, step) {
        const char *op = json_string_value(json_object_get(step, "op"));
        if (strcmp(behaviour, "keyed") != 0 || strcmp(op, "partition") != 0) {
            json_decref(answers);
            return json_pack("{s:s}", "could not try", "not yet");
        }
        /* A snapshot is a list of [topic, [[id, leader], ...]]. */
        size_t at = (size_t)json_integer_value(json_object_get(step, "metadata")), partitions = 0;
        json_array_foreach(json_array_get(json_object_get(one, "metadata"), at), j, entry)
            if (json_equal(json_array_get(entry, 0), json_object_get(step, "topic")))
                partitions = json_array_size(json_array_get(entry, 1));
        const char *hex = json_string_value(json_object_get(json_object_get(step, "key"), "hex"));
        size_t length = strlen(hex) / 2;
        uint8_t *key = bytes(hex, length);
        int32_t answer = partition_for_key(key, length, (int32_t)partitions);
        json_array_append_new(answers, json_integer(answer));
        free(key);
    }
    return answers;
}

static json_t *answer(const json_t *question) {
    const char *type = json_string_value(json_object_get(question, "type"));
    json_t *id = json_object_get(question, "id"), *one;
    if (strcmp(type, "hello") == 0)
        return json_loads(HELLO, 0, NULL);
    if (strcmp(type, "cases") != 0)
        return json_pack("{s:s, s:O, s:s}", "type", "partitions", "id", id, "could not try", "not yet");
    json_t *traces = json_array();
    size_t i;
    json_array_foreach(json_object_get(question, "cases"), i, one)
        json_array_append_new(traces, trace(json_string_value(json_object_get(question, "behaviour")), one));
    return json_pack("{s:s, s:O, s:o}", "type", "traces", "id", id, "traces", traces);
}

int main(void) {
    char *line = NULL;
    for (size_t size = 0; getline(&line, &size, stdin) > 0; fflush(stdout)) {
        json_t *question = json_loads(line, JSON_ALLOW_NUL, NULL), *reply = answer(question);
        json_dumpf(reply, stdout, JSON_COMPACT);
        putchar('\n');
        json_decref(reply), json_decref(question);
    }
    return 0; /* the end of the input */
}
