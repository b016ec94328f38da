#include "mock_cluster.h"

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BROKERS 3
#define TIMEOUT_MS 10000

/* The mock's thread misses a request that comes while it finishes the one
 * before, and then finds it a second later. */
#define MOCK_PAUSE_US 500

static rd_kafka_t *producer;
static size_t reported; /* delivery reports of the question under way */

/* Each record carries the place of its answer; the report has the partition
 * that librdkafka chose, whether it was delivered or purged. */
static void on_report(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque) {
    (void)rk;
    (void)opaque;
    *(int32_t *)message->_private = message->partition;
    reported++;
}

static bool set(rd_kafka_conf_t *conf, const char *name, const char *value) {
    char error[256];
    if (rd_kafka_conf_set(conf, name, value, error, sizeof(error)) == RD_KAFKA_CONF_OK)
        return true;
    fprintf(stderr, "librdkafka: %s\n", error);
    return false;
}

/* A producer with brokers of its own, in librdkafka's defaults but for room
 * for all records. It takes some 5 ms; one for each question is a fresh start
 * (the sticky partition lives in it). */
static bool start(const char *linger) {
    char error[256];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();

    if (!set(conf, "test.mock.num.brokers", "3") || !set(conf, "log_level", "3") ||
        !set(conf, "sticky.partitioning.linger.ms", linger) ||
        !set(conf, "queue.buffering.max.messages", "10000000") ||
        !set(conf, "queue.buffering.max.kbytes", "2097151")) {
        rd_kafka_conf_destroy(conf);
        return false;
    }
    rd_kafka_conf_set_dr_msg_cb(conf, on_report);
    producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof(error));
    if (!producer) {
        fprintf(stderr, "librdkafka: %s\n", error);
        rd_kafka_conf_destroy(conf);
    }
    return producer != NULL;
}

static bool wait_until(bool (*ready)(const void *, const void *), const void *a, const void *b) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    time_t end = now.tv_sec + TIMEOUT_MS / 1000;

    while (!ready(a, b)) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec > end)
            return false;
        usleep(200);
    }
    return true;
}

/* The metadata is known, but a broker's thread takes over its partitions a
 * moment later; until then they count as leaderless. The documentation wants
 * rd_kafka_topic_partition_available called from partitioners only, as they
 * run under the topic's lock. Here nothing else touches the topic yet. */
static bool taken_over(const void *topic, const void *layout_) {
    const struct topic_layout *layout = layout_;
    for (int32_t i = 0; i < layout->count; i++)
        if (rd_kafka_topic_partition_available(topic, i) != (layout->leaders[i] >= 0))
            return false;
    return true;
}

static rd_kafka_topic_t *create_topic(const char *partitioner, const struct topic_layout *layout,
                                      const char **why) {
    const char *name = "t";
    char error[256];
    const struct rd_kafka_metadata *metadata;
    rd_kafka_mock_cluster_t *cluster = rd_kafka_handle_mock_cluster(producer);
    rd_kafka_topic_conf_t *conf = rd_kafka_topic_conf_new();
    rd_kafka_topic_t *topic;

    if (rd_kafka_topic_conf_set(conf, "partitioner", partitioner, error, sizeof(error)) !=
            RD_KAFKA_CONF_OK ||
        usleep(MOCK_PAUSE_US) ||
        rd_kafka_mock_topic_create(cluster, name, layout->count, BROKERS)) {
        rd_kafka_topic_conf_destroy(conf);
        *why = "the mock cluster cannot have such a topic";
        return NULL;
    }
    for (int32_t i = 0; i < layout->count; i++) { /* the others have one already */
        if (layout->leaders[i] < 0) {
            usleep(MOCK_PAUSE_US);
            rd_kafka_mock_partition_set_leader(cluster, name, i, -1);
        }
    }

    topic = rd_kafka_topic_new(producer, name, conf);
    if (!topic) {
        *why = "librdkafka refuses the topic";
        return NULL;
    }
    if (rd_kafka_metadata(producer, 0, topic, &metadata, TIMEOUT_MS)) {
        *why = "the mock cluster does not answer";
    } else {
        rd_kafka_metadata_destroy(metadata);
        if (wait_until(taken_over, topic, layout))
            return topic;
        *why = "the mock brokers did not take over their partitions";
    }
    rd_kafka_topic_destroy(topic);
    return NULL;
}

/* Sends them off; how many librdkafka took, and the error of the one it refused. */
static size_t produce_all(rd_kafka_topic_t *topic, int32_t partition, const struct key *key,
                          size_t n, int32_t *answers, rd_kafka_resp_err_t *error) {
    for (size_t i = 0; i < n; i++) {
        if (rd_kafka_produce(topic, partition, 0, NULL, 0, key->bytes, key->length,
                             &answers[i]) != 0) {
            *error = rd_kafka_last_error();
            return i;
        }
    }
    return n;
}

/* Whether everything worked; librdkafka may have refused a record. */
static bool produce_alike(const char *partitioner, const char *linger,
                          const struct topic_layout *layout, int32_t partition,
                          const struct key *key, size_t n, int32_t *answers,
                          rd_kafka_resp_err_t *error, const char **why) {
    rd_kafka_topic_t *topic;
    size_t produced;
    int rounds = TIMEOUT_MS / 10;

    *error = RD_KAFKA_RESP_ERR_NO_ERROR;
    *why = "the mock cluster does not start";
    if (!start(linger))
        return false;
    topic = create_topic(partitioner, layout, why);
    if (!topic) {
        rd_kafka_destroy(producer);
        return false;
    }

    reported = 0;
    produced = produce_all(topic, partition, key, n, answers, error);
    /* Records wait for linger.ms (5), those of a leaderless partition for
     * ever; what was sent already is reported by the mock brokers. */
    rd_kafka_purge(producer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    while (reported < produced && rounds-- > 0)
        rd_kafka_poll(producer, 10);
    if (reported < produced) { /* late reports would write to freed answers */
        fprintf(stderr, "librdkafka: %zu of %zu delivery reports\n", reported, produced);
        exit(1);
    }
    rd_kafka_topic_destroy(topic);
    rd_kafka_destroy(producer);
    return true;
}

bool produce(const char *partitioner, const char *linger, const struct topic_layout *layout,
             bool empty_key, size_t n, int32_t *answers, const char **why) {
    struct key key = {empty_key ? "" : NULL, 0};
    rd_kafka_resp_err_t error;

    if (!produce_alike(partitioner, linger, layout, RD_KAFKA_PARTITION_UA, &key, n, answers,
                       &error, why))
        return false;
    if (error)
        *why = rd_kafka_err2str(error);
    return !error;
}

bool produce_named(const char *partitioner, const char *linger, const struct topic_layout *layout,
                   int32_t partition, const struct key *key, struct outcome *outcome,
                   const char **why) {
    rd_kafka_resp_err_t error;

    if (!produce_alike(partitioner, linger, layout, partition, key, 1, &outcome->partition, &error,
                       why))
        return false;
    outcome->error = error ? rd_kafka_err2str(error) : NULL;
    /* What refuses the partition that was named is an argument's error. */
    outcome->kind = error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION ? "argument" : "other";
    return true;
}
