package io.kmirror.lane;

import io.kmirror.driver.FaultCode;
import io.kmirror.driver.FaultSink;
import io.kmirror.driver.Settings;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/** What a lane asks the target beside sending records: who owns the flow, positions, log ends and limits. */
final class TargetAdmin implements AutoCloseable {
  /** So often, and so far apart, positions are asked for before they count as missing. */
  private static final int ASKED_MAX = 5;
  private static final long ASKED_EVERY_MS = 1_000;

  private final Settings settings;
  private final FaultSink faults;
  private final Limits limits;
  private final Admin admin;
  private final long timeoutMs;

  /**
   * @param limits what is known of the topics already
   * @param faults learns that the flow has another owner
   */
  TargetAdmin(Settings settings, Limits limits, FaultSink faults) {
    this.settings = settings;
    this.faults = faults;
    this.limits = limits;
    this.timeoutMs = settings.tuning().target().adminTimeoutMs();
    this.admin = Admin.create(new HashMap<>(settings.admin()));
  }

  /**
   * Fence first, read second: a driver that lost the flow while it was fencing finds out here.
   *
   * @throws FencedException when another generation owns the flow
   */
  void checkOwner() {
    TopicPartition owner = new TopicPartition(settings.ownerTopic(), 0);
    OffsetAndMetadata entry = positions(List.of(owner)).get(owner);
    if (entry == null || entry.offset() != settings.generation()) {
      String newer = entry == null ? "{}" : entry.metadata();
      faults.fault(FaultCode.FENCED);
      throw new FencedException(newer);
    }
  }

  /**
   * Stable positions: an answer never lies inside somebody's open transaction. Every position that is asked
   * for has been written. One that is missing is asked for again, for some seconds: a coordinator that has
   * just been started may answer as if there were none.
   */
  Map<TopicPartition, OffsetAndMetadata> positions(Collection<TopicPartition> partitions) {
    for (int asked = 1; ; asked++) {
      Map<TopicPartition, OffsetAndMetadata> found = positionsNow(partitions);
      if (asked == ASKED_MAX || partitions.stream().allMatch(each -> found.get(each) != null)) {
        return found;
      }
      pause();
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(ASKED_EVERY_MS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  private Map<TopicPartition, OffsetAndMetadata> positionsNow(Collection<TopicPartition> partitions) {
    var spec = new ListConsumerGroupOffsetsSpec().topicPartitions(partitions);
    var options = new ListConsumerGroupOffsetsOptions().requireStable(true);
    return Answers.await(
        admin
            .listConsumerGroupOffsets(Map.of(settings.group(), spec), options)
            .partitionsToOffsetAndMetadata(),
        timeoutMs);
  }

  /** Writes *positions* outside of a transaction. */
  void write(Map<TopicPartition, OffsetAndMetadata> positions) {
    Answers.await(admin.alterConsumerGroupOffsets(settings.group(), positions).all(), timeoutMs);
  }

  /** Asks where the target partitions of *those* end; the answers come in the background. */
  Map<TopicPartition, KafkaFuture<ListOffsetsResultInfo>> ends(Collection<SourcePartition> those) {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    those.forEach(partition -> asked.put(partition.target, OffsetSpec.latest()));
    ListOffsetsResult result = admin.listOffsets(asked);
    Map<TopicPartition, KafkaFuture<ListOffsetsResultInfo>> answers = new HashMap<>();
    asked.keySet().forEach(partition -> answers.put(partition, result.partitionResult(partition)));
    return answers;
  }

  /** How large a batch *topic* takes. */
  int limitOf(String topic) {
    return limits.of(topic, admin);
  }

  /** Whether *topic* has ever refused something, or had something near its limit. */
  boolean limitMatters(String topic) {
    return limits.matter(topic);
  }

  /** Something was too large for *topic*. */
  void learnLimit(String topic) {
    limits.learn(topic, admin);
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
