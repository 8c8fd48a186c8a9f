package org.apache.kafka.clients.producer.internals;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.Test;

/** A producer's memory for whole batches: used again, never by two at once, and counted as Kafka counts. */
final class BatchMemoryTest {
  private static final int TOTAL = 1_000_000;
  private static final int PIECE = 16_384;
  private static final long BLOCK_MS = 20;

  private final Metrics metrics = new Metrics();
  private final BatchMemory memory =
      new BatchMemory(new BufferPool(TOTAL, PIECE, metrics, Time.SYSTEM, "g"), metrics, Time.SYSTEM);

  @Test
  void itIsUsedAgainForABatchOfAnotherSize() throws InterruptedException {
    ByteBuffer first = memory.allocateWhole(100_000, BLOCK_MS);
    assertTrue(first.isDirect());
    assertEquals(100_000, first.capacity());
    assertEquals(TOTAL - 100_000, memory.availableMemory());
    first.put(0, (byte) 7);
    memory.deallocate(first, first.capacity());
    assertEquals(TOTAL, memory.availableMemory());
    ByteBuffer second = memory.allocateWhole(70_000, BLOCK_MS);
    assertEquals(70_000, second.remaining());
    assertEquals(7, second.get(0));
  }

  @Test
  void noTwoBatchesShareIt() throws InterruptedException {
    ByteBuffer first = memory.allocateWhole(100_000, BLOCK_MS);
    ByteBuffer second = memory.allocateWhole(100_000, BLOCK_MS);
    first.put(0, (byte) 1);
    second.put(0, (byte) 2);
    assertNotEquals(first.get(0), second.get(0));
    memory.deallocate(first, first.capacity());
    memory.deallocate(second, second.capacity());
    ByteBuffer third = memory.allocateWhole(100_000, BLOCK_MS);
    ByteBuffer fourth = memory.allocateWhole(100_000, BLOCK_MS);
    third.put(0, (byte) 3);
    fourth.put(0, (byte) 4);
    assertNotEquals(third.get(0), fourth.get(0));
  }

  @Test
  void noMoreIsKeptThanTheProducerMayHave() throws InterruptedException {
    ByteBuffer large = memory.allocateWhole(600_000, BLOCK_MS); // in 1 MiB
    large.put(0, (byte) 7);
    memory.deallocate(large, large.capacity());
    assertEquals(0, memory.allocateWhole(600_000, BLOCK_MS).get(0));
  }

  @Test
  void whoeverFindsNoneWaitsInVain() throws InterruptedException {
    ByteBuffer most = memory.allocateWhole(TOTAL - 1, BLOCK_MS);
    assertThrows(BufferExhaustedException.class, () -> memory.allocateWhole(2, BLOCK_MS));
    memory.deallocate(most, most.capacity());
    assertEquals(2, memory.allocateWhole(2, BLOCK_MS).remaining());
  }

  @Test
  void recordsHaveTheHeap() throws InterruptedException {
    assertFalse(memory.allocate(PIECE, BLOCK_MS).isDirect());
    assertFalse(memory.allocate(PIECE + 1, BLOCK_MS).isDirect());
    assertFalse(memory.allocateWhole(PIECE, BLOCK_MS).isDirect());
  }
}
