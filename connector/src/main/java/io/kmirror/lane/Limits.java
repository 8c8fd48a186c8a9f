package io.kmirror.lane;

import io.kmirror.tuning.Tuning;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/** What the target's topics take at most: {@code max.message.bytes}, asked for when it matters. */
final class Limits {
  /** What a topic takes unless it is told otherwise: ServerLogConfigs.MAX_MESSAGE_BYTES_DEFAULT. */
  private static final int KAFKA_DEFAULT_BYTES = 1024 * 1024 + 12;

  private final long ageNanosMax;
  private final long timeoutMs;
  private final Map<String, Limit> limits = new HashMap<>();

  private record Limit(int bytes, long askedNanos) {}

  Limits(Tuning.Target tuning) {
    this.ageNanosMax = TimeUnit.MILLISECONDS.toNanos(tuning.limitAgeMsMax());
    this.timeoutMs = tuning.adminTimeoutMs();
  }

  /** The limit of *topic*, not older than it may be. */
  int of(String topic, Admin admin) {
    Limit limit = limits.get(topic);
    boolean old = limit == null || System.nanoTime() - limit.askedNanos > ageNanosMax;
    return old ? learn(topic, admin) : limit.bytes;
  }

  /** Whether *topic* has ever refused something, or had something near its limit. */
  boolean matter(String topic) {
    return limits.containsKey(topic);
  }

  /** Asks now: what was believed of *topic* may be wrong, since something was refused. */
  int learn(String topic, Admin admin) {
    Limit limit = new Limit(ask(topic, admin), System.nanoTime());
    limits.put(topic, limit);
    return limit.bytes;
  }

  private int ask(String topic, Admin admin) {
    try {
      ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
      Config config =
          Answers.await(admin.describeConfigs(List.of(resource)).values().get(resource), timeoutMs);
      return Integer.parseInt(config.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG).value());
    } catch (KafkaException e) {
      Failures.rethrowInterrupt(e);
      return KAFKA_DEFAULT_BYTES; // nobody has to allow us to read it
    }
  }
}
