/* librdkafka's partitioners as testees: librdkafka-testee PARTITIONER [LINGER]
 *
 * PARTITIONER is a value of librdkafka's setting `partitioner`; LINGER is
 * `sticky.partitioning.linger.ms`, by default 10, as in librdkafka.
 *
 * Keyed records: librdkafka's exported function for the partitioner is called
 * directly, with the number of all partitions, as rd_kafka_msg_partitioner()
 * in its rdkafka_msg.c does (rkt_partition_cnt: leaderless ones included, ids
 * are always 0 .. count - 1). With a key these functions do not look at the
 * topic handle.
 *
 * Records without key, and with an empty key in consistent_random: these
 * depend on the topic (which partitions have a leader; the sticky partition,
 * which lives in rd_kafka_msg_partitioner(), not in the functions). They are
 * really produced, to librdkafka's mock cluster. The sticky partition changes
 * by the clock: neither the end of a batch nor its bytes matter, so `closes`
 * and `bytes` have nothing to map onto. Empty and NULL keys differ in all but
 * consistent and consistent_random.
 *
 * Records that name their partition are really produced, too: what
 * rd_kafka_produce() is told is looked at in rd_kafka_msg_partitioner(). None
 * is RD_KAFKA_PARTITION_UA, which is -1. */
#include "mock_cluster.h"

#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t function(const rd_kafka_topic_t *, const void *, size_t, int32_t, void *, void *);

static const struct partitioner {
    const char *name;
    function *function; /* NULL: keys play no part */
    bool empty_is_null; /* it treats an empty key as none */
    bool java;          /* "Java Producer compatible Murmur2 hash of key" */
} partitioners[] = {
    {"consistent_random", rd_kafka_msg_partitioner_consistent_random, true, false},
    {"murmur2_random", rd_kafka_msg_partitioner_murmur2_random, false, true},
    {"murmur2", rd_kafka_msg_partitioner_murmur2, false, true},
    {"consistent", rd_kafka_msg_partitioner_consistent, false, false},
    {"fnv1a_random", rd_kafka_msg_partitioner_fnv1a_random, false, false},
    {"fnv1a", rd_kafka_msg_partitioner_fnv1a, false, false},
    {"random", NULL, false, false},
};

static const struct partitioner *chosen;
static const char *linger = "10";

static bool keyed(const struct topic_layout *layout, const struct key *keys, size_t n,
                  int32_t *answers, const char **why) {
    size_t empty = 0;

    for (size_t i = 0; i < n; i++) {
        if (keys[i].length == 0 && chosen->empty_is_null)
            empty++;
        else
            answers[i] =
                chosen->function(NULL, keys[i].bytes, keys[i].length, layout->count, NULL, NULL);
    }
    if (empty) { /* all of them at once: a topic costs milliseconds */
        int32_t *produced = allocate(sizeof(*produced) * empty);
        bool tried = produce(chosen->name, linger, layout, true, empty, produced, why);
        for (size_t i = n; tried && i-- > 0;)
            if (keys[i].length == 0)
                answers[i] = produced[--empty];
        free(produced);
        return tried;
    }
    return true;
}

static bool keyless(const struct topic_layout *layout, size_t n, int32_t *answers,
                    const char **why) {
    return produce(chosen->name, linger, layout, false, n, answers, why);
}

static bool named(const struct topic_layout *layout, int32_t partition, const struct key *key,
                  struct outcome *outcome, const char **why) {
    return produce_named(chosen->name, linger, layout, partition, key, outcome, why);
}

static json_t *behaviours(void) {
    json_t *all = json_object();

    if (chosen->function) {
        json_t *support = json_pack("{s:s, s:b, s:[s,s,s,s,s,s]}", "mode", "exact", "records", 1,
                                    "cannot", "null metadata", "unknown topics", "null topics",
                                    "null keys", "gaps in ids", "odd counts");
        if (chosen->java) /* says CONFIGURATION.md, without a version */
            json_object_set_new(support, "claims", json_pack("[ssss]", "2.3.1", "3.2.3", "3.8.0", "4.4.0"));
        json_object_set_new(all, "keyed", support);
    } else {
        json_object_set_new(
            all, "uniform-sticky",
            json_pack("{s:s, s:[s]}", "mode", "statistical", "cannot", "gaps in ids"));
    }
    /* Whatever the partitioner, librdkafka does the same with a partition that
     * is named; with this one, keys go where Java's go. */
    if (strcmp(chosen->name, "murmur2_random") == 0 && strcmp(linger, "10") == 0)
        json_object_set_new(all, "explicit-partition",
                            json_pack("{s:s, s:[s,s,s,s]}", "mode", "exact", "cannot",
                                      "null metadata", "unknown topics", "null topics",
                                      "gaps in ids"));
    for (const char **name = (const char *[]){"round-robin-null-key", "sticky", "built-in", NULL};
         *name; name++)
        json_object_set_new(
            all, *name, json_pack("{s:s, s:[s]}", "mode", "statistical", "cannot", "gaps in ids"));
    return all;
}

int main(int argc, char **argv) {
    char title[100];
    int code;

    for (size_t i = 0; argc >= 2 && i < sizeof(partitioners) / sizeof(*partitioners); i++)
        if (strcmp(partitioners[i].name, argv[1]) == 0)
            chosen = &partitioners[i];
    if (!chosen || argc > 3) {
        fprintf(stderr, "usage: %s PARTITIONER [LINGER], a partitioner of librdkafka such as "
                        "murmur2_random\n", argv[0]);
        return 2;
    }
    if (argc == 3)
        linger = argv[2];
    snprintf(title, sizeof(title), "librdkafka %s, sticky.partitioning.linger.ms=%s",
             chosen->name, linger);

    struct adapter adapter = {title, rd_kafka_version_str(), behaviours(), keyed, keyless, named};
    code = serve(&adapter);
    json_decref(adapter.behaviours);
    return code;
}
