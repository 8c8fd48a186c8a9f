package io.kmirror.stream;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;

/** How far a stream has come in its partitions since the group was told. */
final class StreamOffsets {
  private final int stream;
  private final Consumer<?, ?> consumer;
  private final StreamNews news;
  private final Map<TopicPartition, ConsumerRecord<?, ?>> last = new HashMap<>();

  StreamOffsets(int stream, Consumer<?, ?> consumer, StreamNews news) {
    this.stream = stream;
    this.consumer = consumer;
    this.news = news;
  }

  /** Takes note of a record that is about to be sent. */
  void moved(TopicPartition partition, ConsumerRecord<?, ?> record) {
    last.put(partition, record);
  }

  /** Others have these partitions: where they go on is theirs to say. */
  void forget(Collection<TopicPartition> partitions) {
    last.keySet().removeAll(partitions);
  }

  /**
   * Tells the group; what the source did not take is told again the next time.
   *
   * @return whether it has taken it
   * @throws KafkaException it never will
   */
  boolean commit(Duration timeout) {
    if (last.isEmpty()) {
      return true;
    }
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    last.forEach((tp, record) -> offsets.put(tp, after(record)));
    try {
      if (timeout == null) {
        consumer.commitSync(offsets);
      } else {
        consumer.commitSync(offsets, timeout);
      }
      last.clear();
      return true;
    } catch (RebalanceInProgressException e) {
      return false; // the next poll ends the rebalance
    } catch (CommitFailedException e) {
      news.notCommitted(stream, StreamNews.Kind.COMMIT_REFUSED, e);
      return false;
    } catch (TimeoutException e) {
      news.notCommitted(stream, StreamNews.Kind.COMMIT_LATE, e);
      forgetDeleted();
      return false;
    }
  }

  private static OffsetAndMetadata after(ConsumerRecord<?, ?> record) {
    return new OffsetAndMetadata(record.offset() + 1, record.leaderEpoch(), "");
  }

  /** A commit for a topic that is gone never succeeds, nor does one with it among others. */
  private void forgetDeleted() {
    try {
      var topics = consumer.listTopics().keySet();
      last.keySet().removeIf(partition -> !topics.contains(partition.topic()));
    } catch (TimeoutException e) {
      // The source does not answer: the next commit shows it.
    }
  }
}
