package io.kmirror.lane;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Whether the target still ends where it was written to. A partition that goes on notices a loss by the next
 * acknowledgement; one that rests would not. Nobody waits for the answers: they are there at the next look.
 */
final class TargetEnds {
  private final long intervalNanos;
  private final Map<SourcePartition, Long> written = new HashMap<>();
  private Set<SourcePartition> suspects = new HashSet<>();
  private Map<TopicPartition, KafkaFuture<ListOffsetsResultInfo>> answers = Map.of();
  private long askedNanos;

  TargetEnds(long intervalMs, long nowNanos) {
    intervalNanos = TimeUnit.MILLISECONDS.toNanos(intervalMs);
    askedNanos = nowNanos;
  }

  /**
   * Takes the answers that have come, and asks again when it is time.
   *
   * @param partitions those of the lane
   * @param target asked for them
   */
  void look(Collection<SourcePartition> partitions, TargetAdmin target, long nowNanos) {
    if (nowNanos - askedNanos < intervalNanos) {
      return;
    }
    take();
    askedNanos = nowNanos;
    partitions.stream()
        .filter(p -> !p.isParked() && p.written() > 0)
        .forEach(p -> written.put(p, p.written()));
    answers = target.ends(List.copyOf(written.keySet()));
  }

  /** A new leader may not know its own end for a moment: only what is short twice is. */
  private void take() {
    Set<SourcePartition> shorter = new HashSet<>();
    written.forEach(
        (partition, before) -> {
          long end = end(answers.get(partition.target));
          if (end < Math.min(before, partition.written())) {
            shorter.add(partition);
            if (suspects.contains(partition)) {
              partition.lost(end);
            }
          }
        });
    suspects = shorter;
    written.clear();
  }

  private static long end(KafkaFuture<ListOffsetsResultInfo> answer) {
    try {
      return answer != null && answer.isDone() ? answer.get().offset() : Long.MAX_VALUE;
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      return Long.MAX_VALUE; // whoever copies finds out what is wrong
    }
  }
}
