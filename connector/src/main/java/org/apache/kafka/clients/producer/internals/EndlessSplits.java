package org.apache.kafka.clients.producer.internals;

import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * Finds a batch that a producer splits without end. When a broker refuses a batch as too large, the producer
 * splits it, at the least into batches of the size of its largest record. But it allows for more overhead
 * than that record has, so a tiny one that follows comes along, both are refused, and it splits them again:
 * at once, for ever, and until the stack of its thread is full (KAFKA-8350 ended other cases of this).
 *
 * <p>For one thread.
 */
public final class EndlessSplits {
  /** No batch is split so often: each split at least halves it, but for the first. */
  private static final int SPLITS_MAX = 100;

  private static final long NONE = Long.MAX_VALUE;

  private final IncompleteBatches incomplete;
  private final Metric total;
  private double seen;
  private long oldestMs = NONE;
  private double before;

  public EndlessSplits(KafkaProducer<?, ?> producer) {
    incomplete = BatchAppender.incompleteOf(producer);
    total = total(producer.metrics());
  }

  private static Metric total(Map<MetricName, ? extends Metric> metrics) {
    for (Map.Entry<MetricName, ? extends Metric> each : metrics.entrySet()) {
      if (each.getKey().name().equals("batch-split-total")) {
        return each.getValue();
      }
    }
    throw new KafkaException("the producer does not count split batches");
  }

  /** Whether there is one; asked again and again. */
  public boolean found() {
    double splits = (double) total.metricValue();
    if (splits == seen) {
      return false;
    }
    long oldest = oldestMs();
    if (oldest != oldestMs) {
      oldestMs = oldest;
      before = seen;
    }
    seen = splits;
    return oldest != NONE && splits - before >= SPLITS_MAX;
  }

  /** When the first record came of the oldest batch that was split and has more than one; pieces keep it. */
  private long oldestMs() {
    long oldest = NONE;
    for (ProducerBatch batch : incomplete.copyAll()) {
      if (batch.isSplitBatch() && batch.recordCount > 1) {
        oldest = Math.min(oldest, batch.createdMs);
      }
    }
    return oldest;
  }
}
