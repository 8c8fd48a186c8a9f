package io.kmirror.fetch;

import io.kmirror.tuning.Tuning;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;

/**
 * Over how many connections each of the source's brokers is asked. A connection carries what round trip
 * and lost packets leave of it, and nothing between two answers; so where a lane waits for answers,
 * its partitions share several. Kafka's client keeps one connection for each id of a broker, and consumers
 * give their coordinator an id of its own for the same purpose.
 */
public final class FetchConnections {
  /** Brokers with ids of more bits have one connection. */
  private static final int ID_BITS = 27;

  private final Tuning.Fetch tuning;
  private final int most;
  private int wanted = 1;
  private int used = 1;
  private long cameBytes;
  private long slowestMs;
  private long waitedNanos;
  private long windowBytes;
  private long windowMs;

  /**
   * @param tuning what calls a source far
   * @param most for a far source, at most 16
   */
  public FetchConnections(Tuning.Fetch tuning, int most) {
    this.tuning = tuning;
    this.most = most;
  }

  /** A full answer; one that is not full may have waited for records. */
  public void came(long answerBytes, long latencyMs) {
    cameBytes += answerBytes;
    slowestMs = Math.max(slowestMs, latencyMs);
  }

  /** The lane had nothing to do meanwhile; what comes while it works comes soon enough. */
  public void waited(long nanos) {
    waitedNanos += nanos;
    if (cameBytes == 0) {
      return;
    }
    windowBytes += cameBytes;
    windowMs += Math.min(TimeUnit.NANOSECONDS.toMillis(waitedNanos), slowestMs); // not while all was quiet
    cameBytes = slowestMs = waitedNanos = 0;
    if (windowMs >= tuning.decisionMs() || windowBytes >= tuning.decisionBytes()) {
      decide();
      windowBytes = windowMs = 0;
    }
  }

  private void decide() {
    if (windowBytes < windowMs * tuning.farBytesPerMs()) {
      wanted = most;
    } else if (windowBytes >= windowMs * tuning.nearBytesPerMs()) {
      wanted = 1;
    }
  }

  public int used() {
    return used;
  }

  /**
   * Whether their number is about to change. Nothing may be under way then: it would be asked for again
   * over another connection.
   *
   * @param partitions how many are read; no more connections than that
   */
  public boolean change(int partitions) {
    return used != wanted(partitions);
  }

  public void changed(int partitions) {
    used = wanted(partitions);
  }

  private int wanted(int partitions) {
    return Math.max(1, Math.min(wanted, partitions));
  }

  /** The broker, by the name of the connection that is *partition*'s. */
  public Node node(Node broker, TopicPartition partition) {
    int number = Math.floorMod(partition.hashCode(), used);
    if (number == 0 || broker.id() >> ID_BITS != 0) {
      return broker;
    }
    return new Node(broker.id() | number << ID_BITS, broker.host(), broker.port(), broker.rack());
  }
}
