package io.kmirror.fetch;

import static io.kmirror.tuning.PlanTuning.TUNING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The memory that answers of the source lie in, and that is used again. */
final class AnswerMemoryTest {
  private static final int MIB = 1024 * 1024;

  private AnswerMemory memory = keeping(32 * MIB);

  private static AnswerMemory keeping(long mostBytes) {
    return new AnswerMemory(TUNING.fetch().pooledAnswerBytes(), mostBytes);
  }

  private byte[] take(int bytes) {
    ByteBuffer answer = memory.tryAllocate(bytes);
    assertEquals(bytes, answer.remaining());
    assertEquals(bytes, answer.capacity());
    return answer.array();
  }

  /** Also by a smaller answer, or one that fills the last MiB begun; never while it is used. */
  @Test
  void whatWasGivenBackIsUsedAgain() {
    byte[] first = take(3 * MIB + 1);
    byte[] second = take(3 * MIB + 1);
    assertNotSame(first, second);
    memory.release(first);
    assertSame(first, take(4 * MIB));
    memory.release(second);
    assertSame(second, take(MIB));
  }

  /** The large ones are for large answers. */
  @Test
  void theSmallestThatIsLargeEnough() {
    byte[] eight = take(8 * MIB);
    byte[] two = take(2 * MIB);
    byte[] four = take(4 * MIB);
    memory.release(eight);
    memory.release(two);
    memory.release(four);
    assertSame(four, take(3 * MIB));
    assertSame(eight, take(3 * MIB));
    assertNotSame(two, take(9 * MIB));
  }

  /** There are many of them, and the collector does not mind. */
  @Test
  void smallAnswersAreNotKept() {
    byte[] small = take(262_143);
    memory.release(small);
    assertNotSame(small, take(262_143));
    assertEquals(0, take(0).length);
  }

  /** The smallest go first. */
  @Test
  void noMoreIsKeptThanAllowed() {
    memory = keeping(12 * MIB);
    byte[] two = take(2 * MIB);
    byte[] eight = take(8 * MIB);
    byte[] four = take(4 * MIB);
    memory.release(two);
    memory.release(eight);
    memory.release(four);
    assertSame(four, take(2 * MIB));
    assertSame(eight, take(2 * MIB));
    assertNotSame(two, take(2 * MIB));
  }

  /** Other lanes came, and need it. */
  @Test
  void norMoreThanThereIsRoomFor() {
    byte[] eight = take(8 * MIB);
    byte[] four = take(4 * MIB);
    memory.room(8 * MIB);
    memory.release(four);
    memory.release(eight);
    assertSame(eight, take(2 * MIB));
    assertNotSame(four, take(2 * MIB));
  }
}
