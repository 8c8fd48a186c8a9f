package io.kmirror.lane;

import io.kmirror.batch.UnreadableBatchException;
import io.kmirror.driver.LeftOut;
import io.kmirror.driver.Poison;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * What of a partition the target has refused: which record it was, and what its copy goes on without. A
 * record is left out only when it was refused while nothing else was on its way: of records that travel
 * together, a broker may blame others, too.
 */
final class Refused {
  private final Poison poison;
  private final NavigableMap<Long, Exception> known = new TreeMap<>();
  private final NavigableMap<Long, UnreadableBatchException> unreadable = new TreeMap<>();
  private List<LeftOut> leftOut = new ArrayList<>();

  /** The source offset of the record that has to be sent alone, or UNKNOWN_OFFSET. */
  private long suspect = Failures.UNKNOWN_OFFSET;

  /**
   * After a refusal batches are unpacked up to here, and every record gets its own callback, to learn
   * which one it was. Afterwards, or at 0, nothing is suspected.
   */
  private long carefulUntil;

  /**
   * @param poison what becomes of records that the target never takes
   */
  Refused(Poison poison) {
    this.poison = poison;
  }

  /** Whether the partition goes on behind what it cannot copy. */
  boolean isLeftOut() {
    return poison != Poison.PARK;
  }

  /** Whether what is left out is kept. */
  boolean isKept() {
    return poison == Poison.DLQ;
  }

  /** The target refuses a batch: see whether it takes its records. */
  void unpackUntil(long sourceOffset) {
    carefulUntil = Math.max(carefulUntil, sourceOffset);
  }

  /**
   * The target refuses a record.
   *
   * @param sourceOffset of it, or UNKNOWN_OFFSET, which the next try tells
   * @return whether the partition has to stop before it
   */
  boolean parks(long sourceOffset, Exception cause) {
    if (sourceOffset == Failures.UNKNOWN_OFFSET) {
      carefulUntil = Long.MAX_VALUE;
    } else if (!isLeftOut()) {
      carefulUntil = 0;
      return true;
    } else if (sourceOffset != suspect) {
      suspect = sourceOffset;
      carefulUntil = Math.max(carefulUntil, sourceOffset + 1);
    } else {
      known.put(sourceOffset, cause);
      trust();
    }
    return false;
  }

  private void trust() {
    suspect = Failures.UNKNOWN_OFFSET;
    carefulUntil = carefulUntil == Long.MAX_VALUE ? 0 : carefulUntil;
  }

  /** Whether it has to be known what becomes of that very record. */
  boolean isWatched(long offset) {
    return offset < carefulUntil;
  }

  /** Whether the record has to be sent alone. */
  boolean suspects(long offset) {
    return offset == suspect;
  }

  /** Why the target refuses a record that is to be left out; null for others. */
  Exception causeOf(long offset) {
    return known.isEmpty() ? null : known.get(offset); // asked for each record
  }

  /** Whether a batch has to be unpacked, for one of its records. */
  boolean unpacks(RecordBatch batch) {
    Long next = known.ceilingKey(batch.baseOffset());
    return batch.baseOffset() < carefulUntil || next != null && next <= batch.lastOffset();
  }

  /** Nothing can be made of the batch with this last offset. */
  void cannotRead(long lastOffset, UnreadableBatchException cause) {
    unreadable.put(lastOffset, cause);
  }

  /** Throws why, if nothing could be made of that very batch. */
  void throwIfUnreadable(RecordBatch batch) {
    UnreadableBatchException cause = unreadable.isEmpty() ? null : unreadable.get(batch.lastOffset());
    if (cause != null) {
      throw cause;
    }
  }

  /** The open transaction goes on without it. */
  void leaveOut(LeftOut left) {
    leftOut.add(left);
  }

  /** Gives what the open transaction leaves out, when it ends. */
  List<LeftOut> take() {
    List<LeftOut> taken = leftOut;
    leftOut = new ArrayList<>();
    return taken;
  }

  /** The open transaction is lost. */
  void rewind() {
    leftOut = new ArrayList<>();
  }

  /** Everything before source offset *next* is committed, and a record among it was suspected in vain. */
  void committed(long next) {
    known.headMap(next).clear();
    unreadable.headMap(next).clear();
    if (suspect != Failures.UNKNOWN_OFFSET && suspect < next) {
      trust();
    }
  }
}
