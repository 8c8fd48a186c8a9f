package io.kmirror.fetch;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.memory.MemoryPool;

/**
 * Memory for answers, which is used again: an answer is as large as the source has records, and lives as
 * long as it takes to hand them out. Left to the JVM's collector, each would be filled with zeros, and
 * copied while it waits. Used by the task's thread, but for {@link #room}.
 */
public final class AnswerMemory implements MemoryPool {
  private static final int UNIT_BYTES = 1024 * 1024;

  private final List<byte[]> kept = new ArrayList<>();
  private final int leastBytes;
  private final long mostBytes;
  private volatile long roomBytes = Long.MAX_VALUE;
  private long keptBytes;

  /**
   * @param leastBytes smaller answers are left to the collector
   * @param mostBytes how much is kept for answers to come, where there is room
   */
  public AnswerMemory(int leastBytes, long mostBytes) {
    this.leastBytes = leastBytes;
    this.mostBytes = mostBytes;
  }

  /** So much room there is for all answers; may be called by any thread. */
  public void room(long bytes) {
    roomBytes = bytes;
  }

  long roomBytes() {
    return roomBytes;
  }

  @Override
  public ByteBuffer tryAllocate(int sizeBytes) {
    if (sizeBytes < leastBytes) {
      return ByteBuffer.allocate(sizeBytes);
    }
    return ByteBuffer.wrap(take(sizeBytes), 0, sizeBytes).slice();
  }

  private byte[] take(int sizeBytes) {
    for (byte[] bytes : kept) { // the smallest come first
      if (bytes.length >= sizeBytes) {
        kept.remove(bytes);
        keptBytes -= bytes.length;
        return bytes;
      }
    }
    return new byte[(sizeBytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES];
  }

  /** Nobody looks at it any more. */
  @Override
  public void release(ByteBuffer answer) {
    release(answer.array());
  }

  /** Nobody looks at what was allocated in *bytes* any more. */
  public void release(byte[] bytes) {
    if (bytes.length < UNIT_BYTES) {
      return;
    }
    kept.add(bytes);
    keptBytes += bytes.length;
    kept.sort(Comparator.comparingInt(each -> each.length));
    while (keptBytes > Math.min(mostBytes, roomBytes)) {
      keptBytes -= kept.remove(0).length;
    }
  }

  @Override
  public long size() {
    return Long.MAX_VALUE;
  }

  @Override
  public long availableMemory() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean isOutOfMemory() {
    return false;
  }
}
