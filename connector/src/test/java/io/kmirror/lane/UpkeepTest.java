package io.kmirror.lane;

import static io.kmirror.tuning.PlanTuning.TUNING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.kmirror.driver.Parking;
import io.kmirror.driver.Poison;
import io.kmirror.driver.Share;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;

/** What is written although nothing moves. */
final class UpkeepTest {
  private static final long EVERY = TimeUnit.MILLISECONDS.toNanos(TUNING.lane().upkeepMs());
  private static final long FIRST = TimeUnit.MILLISECONDS.toNanos(TUNING.lane().firstUpkeepMs());
  private static final long RECORDS = 10;

  private final Upkeep upkeep = new Upkeep(TUNING.lane(), System.nanoTime());
  private final OpenTransaction transaction =
      new OpenTransaction(
          TUNING.transaction(), 100, 1 << 20, 60_000, new CommitPrice(TUNING.transaction()), System::nanoTime);
  private final SourcePartition idle = partition(0);
  private final SourcePartition copied = partition(1);

  private static SourcePartition partition(int number) {
    Share share = new Share("t", number, "A.t", "A.t", "", "", null, Poison.PARK);
    SourcePartition partition = new SourcePartition(share, TUNING.offsets(), new Failures(1));
    partition.startAt(new OffsetAndMetadata(0));
    partition.committed(partition.mark());
    return partition;
  }

  private void copy(long records) {
    copied.sent(0, records);
    copied.callback(records, records).onCompletion(new RecordMetadata(copied.target, 0, 0, 0, 0, 0), null);
    copied.stepTo(records, Optional.empty());
    copied.committed(copied.mark());
  }

  private List<SourcePartition> lookAfter(long nanos) {
    upkeep.look(List.of(idle, copied), transaction, System.nanoTime() + nanos);
    return transaction.partitions();
  }

  /** What was copied is told to the map soon after the start, also if nothing has come since, and once. */
  @Test
  void theMapIsBroughtUpToDate() {
    copy(RECORDS);
    assertFalse(copied.hasDueChunks());
    assertEquals(List.of(), lookAfter(FIRST / 2));
    assertEquals(List.of(), upkeep.bringing(List.of(copied)));
    assertEquals(List.of(copied), lookAfter(FIRST));
    assertEquals(List.of(copied), upkeep.bringing(transaction.partitions()));
    assertEquals(1, copied.takeChunks().size());
    assertEquals(List.of(), upkeep.bringing(List.of(copied)));
  }

  /** After that it takes some minutes. */
  @Test
  void theMapIsBroughtUpToDateAgain() {
    lookAfter(FIRST);
    upkeep.bringing(List.of());
    copy(RECORDS);
    assertEquals(List.of(), lookAfter(FIRST + EVERY / 2));
    assertEquals(List.of(), upkeep.bringing(List.of(copied)));
    assertEquals(List.of(copied), lookAfter(FIRST + EVERY + EVERY / 2));
    assertEquals(List.of(copied), upkeep.bringing(transaction.partitions()));
  }

  /** What the map is owed of a partition that stands still is never more than a chunk, but for a moment. */
  @Test
  void wholeChunksDoNotWait() {
    long moment = TimeUnit.MILLISECONDS.toNanos(TUNING.lane().dueChunksMs());
    copy(TUNING.offsets().chunkRecordsMax());
    assertEquals(List.of(copied), lookAfter(moment));
    assertEquals(List.of(copied), upkeep.bringing(transaction.partitions()));
    assertEquals(1, copied.takeChunks().size());
  }

  /** It does not wait for a pause of those that move. */
  @Test
  void beside() {
    copy(RECORDS);
    transaction.moved(idle);
    assertEquals(List.of(idle, copied), lookAfter(EVERY));
  }

  /** Positions that nobody writes expire after a week. */
  @Test
  void positionsDoNotExpire() {
    assertEquals(List.of(), lookAfter(EVERY));
    long refresh = TimeUnit.MILLISECONDS.toNanos(TUNING.lane().positionRefreshMs());
    assertEquals(List.of(idle, copied), lookAfter(2 * refresh));
  }

  /** A position that does not hold is not written over what the driver decides. */
  @Test
  void whatIsDecidedElsewhereIsLeftAlone() {
    copy(RECORDS);
    copied.park(Parking.topicRecreated());
    assertEquals(List.of(), lookAfter(EVERY));
  }

  /** Nor is it with a whole chunk. */
  @Test
  void norIsAWholeChunkWritten() {
    copy(TUNING.offsets().chunkRecordsMax());
    copied.park(Parking.topicRecreated());
    assertEquals(List.of(), lookAfter(FIRST / 2));
  }
}
