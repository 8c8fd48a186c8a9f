package org.apache.kafka.clients.producer.internals;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;

/**
 * A producer's buffer that has memory for whole batches outside of the heap, and uses it again, whatever their
 * sizes. Kafka's own gives a batch of another size than {@code batch.size} new memory, which the JVM fills with
 * zeros first; and what lies in the heap is copied once more on its way to a socket. How much there is, who
 * waits for it, and what is measured of it is Kafka's own.
 */
final class BatchMemory extends BufferPool {
  private static final String METRICS = "producer-metrics"; // as KafkaProducer has it

  /** The memory of each batch that has some, by the part of it that the batch knows. */
  private final Map<ByteBuffer, ByteBuffer> lent = new IdentityHashMap<>();

  /** What can be used again, by its size, a power of two. */
  private final Map<Integer, Deque<ByteBuffer>> kept = new HashMap<>();

  private long roomBytes; // of both
  private boolean isWhole;

  /**
   * @param instead what the producer has; nothing of it is in use
   */
  BatchMemory(BufferPool instead, Metrics metrics, Time time) {
    super(instead.totalMemory(), instead.poolableSize(), metrics, time, METRICS);
  }

  /** See {@link #allocate}; for the one thread that sends. */
  ByteBuffer allocateWhole(int sizeBytes, long blockMsMax) throws InterruptedException {
    isWhole = true;
    try {
      return allocate(sizeBytes, blockMsMax);
    } finally {
      isWhole = false;
    }
  }

  @Override
  protected ByteBuffer allocateByteBuffer(int sizeBytes) {
    return isWhole && sizeBytes != poolableSize() ? lend(sizeBytes) : super.allocateByteBuffer(sizeBytes);
  }

  private synchronized ByteBuffer lend(int sizeBytes) {
    int room = Math.max(1, Integer.highestOneBit(sizeBytes - 1) << 1);
    ByteBuffer memory = kept.computeIfAbsent(room, bytes -> new ArrayDeque<>()).pollLast();
    if (memory == null) {
      memory = ByteBuffer.allocateDirect(room);
      roomBytes += room;
    }
    ByteBuffer part = memory.slice(0, sizeBytes);
    lent.put(part, memory);
    return part;
  }

  @Override
  public void deallocate(ByteBuffer buffer, int sizeBytes) {
    takeBack(buffer);
    super.deallocate(buffer, sizeBytes);
  }

  private synchronized void takeBack(ByteBuffer part) {
    ByteBuffer memory = lent.remove(part);
    if (memory == null) {
      return;
    }
    if (roomBytes <= totalMemory()) {
      kept.get(memory.capacity()).addLast(memory);
    } else {
      roomBytes -= memory.capacity(); // sizes change: it is left to the collector
    }
  }
}
