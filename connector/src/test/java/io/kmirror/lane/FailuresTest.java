package io.kmirror.lane;

import static io.kmirror.lane.Failures.UNKNOWN_OFFSET;
import static io.kmirror.tuning.PlanTuning.TUNING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.kmirror.driver.Poison;
import io.kmirror.driver.Share;
import java.util.Set;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

/** Of what fails together, only what is meant is set aside. */
final class FailuresTest {
  private final SourcePartition partition =
      new SourcePartition(
          new Share("t", 0, "A.t", "A.t", "", "", null, Poison.PARK), TUNING.offsets(), new Failures(1));

  private boolean refuses(TopicAuthorizationException cause) {
    return new Failures.Failure(partition, UNKNOWN_OFFSET, 7, cause).refuses();
  }

  /** A producer that may not write to a topic gives up whatever it has not sent, and says the same of all. */
  @Test
  void anotherTopicsRightsAreNotMeant() {
    assertEquals(true, refuses(new TopicAuthorizationException(Set.of("A.t", "A.u"))));
    assertEquals(true, refuses(new TopicAuthorizationException("denied")));
    assertEquals(false, refuses(new TopicAuthorizationException(Set.of("A.u"))));
    assertEquals(false, refuses(new TopicAuthorizationException(Set.of("__kmirror-offsets-A-B"))));
  }

  /** A letter goes to another topic, on behalf of its partition. */
  @Test
  void theTopicOfALetterIsMeant() {
    var denied = new TopicAuthorizationException(Set.of("kmirror-dlq.A"));
    var meant = (TopicAuthorizationException) Failures.meant(denied, "kmirror-dlq.A");
    assertEquals(true, refuses(meant));
    assertEquals(denied.getMessage(), meant.getMessage());
    assertSame(denied, Failures.meant(denied, "kmirror-dlq.B"));
  }
}
