package io.kmirror.lane;

import static io.kmirror.tuning.PlanTuning.TUNING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kmirror.driver.Parking;
import io.kmirror.driver.Poison;
import io.kmirror.driver.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

/** What a lane keeps, lets go and begins when a plan follows another one. */
final class AssignmentTest {
  private final Assignment has =
      new Assignment(share -> new SourcePartition(share, TUNING.offsets(), new Failures(1)));

  private static Share share(int number, String targetId) {
    return new Share("t", number, "A.t", "A.t", "", targetId, null, Poison.PARK);
  }

  private List<Integer> take(long version, Share... shares) {
    List<SourcePartition> added = has.take(Assignment.Offer.of(version, List.of(shares)));
    added.forEach(p -> p.startAt(new OffsetAndMetadata(0)));
    return numbers(added);
  }

  private static List<Integer> numbers(Iterable<SourcePartition> partitions) {
    List<Integer> numbers = new ArrayList<>();
    partitions.forEach(p -> numbers.add(p.source.partition()));
    return numbers.stream().sorted().toList();
  }

  @Test
  void whatStaysGoesOn() {
    assertEquals(List.of(0, 1), take(1, share(0, "a"), share(1, "a")));
    SourcePartition one = has.all().stream().filter(p -> p.source.partition() == 1).findFirst().get();
    assertEquals(List.of(2), take(2, share(1, "a"), share(2, "a")));
    assertEquals(List.of(1, 2), numbers(has.all()));
    assertSame(one, has.partitions.get(one.source));
    assertEquals(2, has.known());
  }

  /** What has become another one, or stands still, begins anew. */
  @Test
  void whatHasChangedLeavesAndBegins() {
    take(1, share(0, "a"), share(1, "a"), share(2, "a"));
    has.all().stream().filter(p -> p.source.partition() == 2).forEach(p -> p.park(Parking.dataGap(0)));
    List<Share> next = List.of(share(0, "a"), share(1, "other"), share(2, "a"));
    assertEquals(List.of(1, 2), numbers(has.leaving(Assignment.Offer.of(2, next))));
    assertEquals(List.of(1, 2), take(2, next.toArray(Share[]::new)));
  }

  @Test
  void onlyANewerPlanIsTakenUpAndOnce() {
    take(3, share(0, "a"));
    assertEquals(Optional.empty(), has.offered());
    has.offer(Assignment.Offer.of(3, List.of()));
    assertEquals(Optional.empty(), has.offered());
    has.offer(Assignment.Offer.of(4, List.of()));
    assertEquals(4, has.known());
    assertEquals(4, has.offered().get().version());
    assertEquals(Optional.empty(), has.offered());
  }

  @Test
  void aLaneWithoutPartitionsHasComeToItsEnd() {
    assertTrue(has.hasEnded());
  }
}
