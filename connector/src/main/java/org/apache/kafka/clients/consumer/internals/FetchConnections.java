package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;

/**
 * Over how many connections each of the source's brokers is asked. A connection carries what round trip
 * and lost packets leave of it, and nothing between two answers; so where answers come slowly,
 * partitions share several. Kafka's client keeps one connection for each id of a broker, and consumers
 * give their coordinator an id of its own for the same purpose.
 */
final class FetchConnections {
  /** 256 Mbit/s: an answer that comes more slowly waits for a link, a faster one for machines. */
  private static final long NEAR_BYTES_PER_MS = 32 * 1024;

  /** A slow answer that came sooner may have been too small to tell. */
  private static final long TELLING_MS = 200;

  /** Brokers with ids of more bits have one connection. */
  private static final int ID_BITS = 27;

  private final int most;
  private int wanted = 1;
  private int used = 1;

  /**
   * @param most for a far source, at most 16
   */
  FetchConnections(int most) {
    this.most = most;
  }

  /** What a full answer tells; one that is not full may have waited for records. */
  void came(long answerBytes, long latencyMs) {
    if (answerBytes >= latencyMs * NEAR_BYTES_PER_MS) {
      wanted = 1;
    } else if (latencyMs >= TELLING_MS) {
      wanted = most;
    }
  }

  int used() {
    return used;
  }

  /**
   * Whether their number is about to change. Nothing may be under way then: it would be asked for again
   * over another connection.
   *
   * @param partitions how many are read; no more connections than that
   */
  boolean change(int partitions) {
    return used != wanted(partitions);
  }

  void changed(int partitions) {
    used = wanted(partitions);
  }

  private int wanted(int partitions) {
    return Math.max(1, Math.min(wanted, partitions));
  }

  /** The broker, by the name of the connection that is *partition*'s. */
  Node node(Node broker, TopicPartition partition) {
    int number = Math.floorMod(partition.hashCode(), used);
    if (number == 0 || broker.id() >> ID_BITS != 0) {
      return broker;
    }
    return new Node(broker.id() | number << ID_BITS, broker.host(), broker.port(), broker.rack());
  }
}
