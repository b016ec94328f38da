package conformance.experiments;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartitionInfo;

/**
 * Makes topics, deletes them, and says which brokers lead them: conformance/experiments/admin.py at the other end.
 *
 * Arguments: the servers; create, delete, describe or brokers; for create the leaders of the partitions in order
 * ("0,1,2,0"), or "*10" for ten partitions wherever the cluster puts them; then names of topics. A failure is a line
 * "error=" with its class and message, and exit code 1.
 */
public final class ExperimentTopics {
    private ExperimentTopics() {
    }

    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", arguments[0]);
        settings.put("default.api.timeout.ms", "20000");
        settings.put("request.timeout.ms", "10000");
        try (Admin admin = Admin.create(settings)) {
            List<String> rest = Arrays.asList(arguments).subList(2, arguments.length);
            switch (arguments[1]) {
                case "create" -> create(admin, rest.get(0), rest.subList(1, rest.size()));
                case "delete" -> admin.deleteTopics(rest).all().get();
                case "describe" -> describe(admin, rest);
                default -> admin.describeCluster().nodes().get().forEach(node -> System.out.println(node.id()));
            }
        } catch (ExecutionException error) {
            fail(error.getCause());
        } catch (RuntimeException error) {
            fail(error.getCause() == null ? error : error.getCause());
        }
        System.exit(0);
    }

    private static void fail(Throwable error) {
        System.out.println("error=" + error.getClass().getSimpleName() + ": " + error.getMessage());
        System.out.flush();
        System.exit(1);
    }

    private static void create(Admin admin, String leaders, List<String> names) throws Exception {
        List<NewTopic> topics = new ArrayList<>();
        for (String name : names) {
            NewTopic topic;
            if (leaders.startsWith("*")) {
                int partitions = Integer.parseInt(leaders.substring(1));
                topic = new NewTopic(name, Optional.of(partitions), Optional.of((short) 1));
            } else {
                Map<Integer, List<Integer>> assigned = new HashMap<>();
                for (String leader : leaders.split(","))
                    assigned.put(assigned.size(), List.of(Integer.valueOf(leader)));
                topic = new NewTopic(name, assigned);
            }
            topics.add(topic.configs(Map.of("message.timestamp.type", "LogAppendTime")));
        }
        admin.createTopics(topics).all().get();
    }

    private static void describe(Admin admin, List<String> names) throws Exception {
        for (TopicDescription topic : admin.describeTopics(names).allTopicNames().get().values())
            for (TopicPartitionInfo one : topic.partitions())
                System.out.println(topic.name() + " " + one.partition() + " "
                        + (one.leader() == null ? -1 : one.leader().id()));
    }
}
