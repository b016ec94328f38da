#include "protocol.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what) {
    fprintf(stderr, "protocol: %s\n", what);
    exit(1);
}

void *allocate(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory)
        die("out of memory");
    return memory;
}

static int32_t as_int32(const json_t *number, const char *what) {
    json_int_t value = json_integer_value(number);
    if (!json_is_integer(number) || value < INT32_MIN || value > INT32_MAX)
        die(what);
    return (int32_t)value;
}

static int digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    die("a key is not lower-case hex");
    return 0;
}

/* Writes the bytes of a hex string to *end and moves it on. */
static struct key read_hex(const json_t *hex, unsigned char **end) {
    const char *text = json_string_value(hex);
    size_t length = json_string_length(hex);
    unsigned char *out = *end;
    struct key key = {out, length / 2};

    if (!text || length % 2)
        die("a key is not hex");
    for (size_t i = 0; i < length; i += 2)
        *out++ = (unsigned char)(digit(text[i]) << 4 | digit(text[i + 1]));
    *end = out;
    return key;
}

/* ids with gaps are not asked for: "gaps in ids" is among what we cannot. */
static struct topic_layout read_layout(const json_t *partitions) {
    struct topic_layout layout = {(int32_t)json_array_size(partitions), NULL};

    layout.leaders = allocate(sizeof(int32_t) * (size_t)layout.count);
    for (int32_t i = 0; i < layout.count; i++) {
        const json_t *partition = json_array_get(partitions, (size_t)i);
        const json_t *leader = json_array_get(partition, 1);
        if (as_int32(json_array_get(partition, 0), "a partition id is no int32") != i)
            die("partition ids with gaps were asked for, which the hello excludes");
        layout.leaders[i] = json_is_null(leader) ? -1 : as_int32(leader, "a leader is no int32");
    }
    return layout;
}

/* The topic's partitions in one snapshot [[topic, partitions], ...]. */
static const json_t *find_topic(const json_t *snapshot, const json_t *topic) {
    size_t i;
    json_t *entry;

    json_array_foreach(snapshot, i, entry) {
        if (json_equal(json_array_get(entry, 0), topic))
            return json_array_get(entry, 1);
    }
    return NULL;
}

/* --- cases ------------------------------------------------------------- */

/* What the step's snapshot says of its topic. */
static struct topic_layout layout_of(const json_t *a_case, const json_t *step) {
    const json_t *metadata = json_object_get(a_case, "metadata");
    json_int_t at = json_integer_value(json_object_get(step, "metadata"));
    return read_layout(
        find_topic(json_array_get(metadata, (size_t)at), json_object_get(step, "topic")));
}

/* A step of `explicit-partition`. */
static bool record(const struct adapter *adapter, const json_t *a_case, const json_t *step,
                   struct outcome *outcome, const char **why) {
    const json_t *hex = json_object_get(json_object_get(step, "key"), "hex");
    const json_t *partition = json_object_get(step, "partition");
    struct topic_layout layout = layout_of(a_case, step);
    unsigned char *bytes = allocate(json_string_length(hex) / 2), *end = bytes;
    struct key key = {NULL, 0};
    bool tried;

    if (hex)
        key = read_hex(hex, &end);
    tried = adapter->named(&layout,
                           json_is_null(partition) ? -1 : as_int32(partition, "no partition"),
                           &key, outcome, why);
    free(bytes);
    free(layout.leaders);
    return tried;
}

/* One step of `keyed`: an answer, or false and why there is none. */
static bool step(const struct adapter *adapter, const json_t *a_case, const json_t *step,
                 int32_t *answer, const char **why) {
    const char *op = json_string_value(json_object_get(step, "op"));
    const json_t *hex = json_object_get(json_object_get(step, "key"), "hex");
    struct topic_layout layout;
    unsigned char *bytes, *end;
    bool tried;

    if (!op || !json_is_string(hex)) {
        *why = "only steps with a key are known";
        return false;
    }
    if (strcmp(op, "partition") == 0) {
        layout = layout_of(a_case, step);
    } else if (strcmp(op, "partition for key") == 0) {
        layout.count = as_int32(json_object_get(step, "partitions"), "partitions is no int32");
        if (layout.count < 1 || layout.count > 100000) {
            *why = "librdkafka asks a partitioner only about existing partitions";
            return false;
        }
        layout.leaders = allocate(sizeof(int32_t) * (size_t)layout.count);
        for (int32_t i = 0; i < layout.count; i++)
            layout.leaders[i] = 0;
    } else {
        *why = "not an operation of keyed";
        return false;
    }

    bytes = end = allocate(json_string_length(hex) / 2);
    struct key key = read_hex(hex, &end);
    if (layout.count < 1) {
        *why = "the topic has no partition";
        tried = false;
    } else {
        tried = adapter->keyed(&layout, &key, 1, answer, why);
    }
    free(bytes);
    free(layout.leaders);
    return tried;
}

static json_t *trace(const struct adapter *adapter, const json_t *a_case) {
    json_t *answers = json_array(), *a_step;
    size_t i;

    json_array_foreach(json_object_get(a_case, "steps"), i, a_step) {
        const char *op = json_string_value(json_object_get(a_step, "op"));
        const char *why = "unknown";
        struct outcome outcome = {0};
        bool tried = op && strcmp(op, "record") == 0
                         ? record(adapter, a_case, a_step, &outcome, &why)
                         : step(adapter, a_case, a_step, &outcome.partition, &why);
        if (!tried) {
            json_decref(answers);
            return json_pack("{s:s}", "could not try", why);
        }
        json_array_append_new(answers, outcome.error
                                           ? json_pack("{s:s, s:s}", "error", outcome.kind,
                                                       "message", outcome.error)
                                           : json_integer(outcome.partition));
    }
    return answers;
}

static json_t *answer_cases(const struct adapter *adapter, const json_t *question) {
    json_t *traces = json_array(), *a_case;
    size_t i;

    json_array_foreach(json_object_get(question, "cases"), i, a_case)
        json_array_append_new(traces, trace(adapter, a_case));
    return json_pack("{s:s, s:O, s:o}", "type", "traces", "id", json_object_get(question, "id"),
                     "traces", traces);
}

/* --- records ----------------------------------------------------------- */

/* How many records a question without keys is about. */
static size_t count_records(const json_t *question) {
    const json_t *count = json_object_get(question, "count");
    return count ? (size_t)json_integer_value(count)
                 : json_array_size(json_object_get(question, "closes"));
}

static bool try_keyed(const struct adapter *adapter, const struct topic_layout *layout,
                      const json_t *hex_keys, int32_t *answers, const char **why) {
    size_t n = json_array_size(hex_keys), total = 0, i;
    struct key *keys = allocate(sizeof(*keys) * n);
    unsigned char *bytes, *end;
    json_t *hex;
    bool tried;

    json_array_foreach(hex_keys, i, hex) total += json_string_length(hex) / 2;
    bytes = end = allocate(total); /* all of them in one block */
    json_array_foreach(hex_keys, i, hex) keys[i] = read_hex(hex, &end);
    tried = adapter->keyed(layout, keys, n, answers, why);
    free(bytes);
    free(keys);
    return tried;
}

/* Written by hand: a JSON value for each of some hundred thousand integers
 * takes longer than asking the partitioner. */
static void write_partitions(json_int_t id, const int32_t *answers, size_t n) {
    printf("{\"type\": \"partitions\", \"id\": %" JSON_INTEGER_FORMAT ", \"partitions\": [", id);
    for (size_t i = 0; i < n; i++)
        printf(i ? ",%" PRId32 : "%" PRId32, answers[i]);
    printf("]}\n");
}

static void answer_records(const struct adapter *adapter, const json_t *question) {
    struct topic_layout layout = read_layout(json_object_get(question, "partitions"));
    const json_t *keys = json_object_get(question, "keys");
    size_t n = keys ? json_array_size(keys) : count_records(question);
    int32_t *answers = allocate(sizeof(*answers) * n);
    const char *why = "unknown";
    json_int_t id = json_integer_value(json_object_get(question, "id"));

    if (keys ? try_keyed(adapter, &layout, keys, answers, &why)
             : adapter->keyless(&layout, n, answers, &why))
        write_partitions(id, answers, n);
    else
        printf("{\"type\": \"partitions\", \"id\": %" JSON_INTEGER_FORMAT
               ", \"could not try\": \"%s\"}\n",
               id, why);
    free(answers);
    free(layout.leaders);
}

/* --- the loop ---------------------------------------------------------- */

static void write_json(json_t *line) {
    if (!line || json_dumpf(line, stdout, JSON_COMPACT) != 0)
        die("cannot write an answer");
    putchar('\n');
    json_decref(line);
}

static void answer(const struct adapter *adapter, const json_t *question) {
    const char *type = json_string_value(json_object_get(question, "type"));

    if (!type)
        die("a line without a type");
    if (strcmp(type, "hello") == 0)
        write_json(json_pack("{s:s, s:i, s:s, s:s, s:s, s:O}", "type", "hello", "protocol", 1,
                             "name", adapter->name, "version", adapter->version, "language",
                             "C (gcc " __VERSION__ ")", "behaviours", adapter->behaviours));
    else if (strcmp(type, "cases") == 0)
        write_json(answer_cases(adapter, question));
    else if (strcmp(type, "records") == 0)
        answer_records(adapter, question);
    else
        die("a line of an unknown type");
    if (fflush(stdout) != 0)
        die("standard output was closed");
}

int serve(const struct adapter *adapter) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;

    errno = 0;
    while ((length = getline(&line, &capacity, stdin)) > 0) {
        json_error_t error;
        json_t *question = json_loadb(line, (size_t)length, JSON_ALLOW_NUL, &error);
        if (!question)
            die(error.text);
        answer(adapter, question);
        json_decref(question);
        errno = 0;
    }
    if (errno)
        die(strerror(errno));
    free(line);
    return 0;
}
