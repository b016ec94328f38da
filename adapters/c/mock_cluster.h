/* A producer of librdkafka's, connected to librdkafka's own mock brokers. */
#ifndef MOCK_CLUSTER_H
#define MOCK_CLUSTER_H

#include "protocol.h"

/* Produces n records to a new topic of this layout and reads each one's
 * partition from its delivery report. `empty_key` decides whether they have
 * an empty key or none. `linger` is sticky.partitioning.linger.ms. */
bool produce(const char *partitioner, const char *linger, const struct topic_layout *layout,
             bool empty_key, size_t n, int32_t *answers, const char **why);

/* The same for one record of a topic that names its partition (-1: none), with
 * a key or none (its bytes are NULL). */
bool produce_named(const char *partitioner, const char *linger, const struct topic_layout *layout,
                   int32_t partition, const struct key *key, struct outcome *outcome,
                   const char **why);

#endif
