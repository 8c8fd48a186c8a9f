package io.kmirror.fetch;

import static io.kmirror.tuning.PlanTuning.TUNING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Over how many connections a broker of the source is asked. */
final class FetchConnectionsTest {
  private static final int ID = 1;
  private static final Answer SLOW = new Answer(1_000_000, 1000, 1000);
  private static final Answer FAST = new Answer(16_777_216, 100, 100);

  /** A full answer: its bytes, its latency, and how long the lane had nothing to do for it. */
  private record Answer(long bytes, long latencyMs, long waitedMs) {}

  /** The connections of one consumer, and those of its broker's ids that partitions are asked under. */
  private static final class Consumer {
    private final FetchConnections connections;
    private final Node broker;

    Consumer(int most, int brokerId) {
      connections = new FetchConnections(TUNING.fetch(), most);
      broker = new Node(brokerId, "broker", 9092);
    }

    boolean changes(Answer answer, int partitions) {
      connections.came(answer.bytes, answer.latencyMs);
      connections.waited(TimeUnit.MILLISECONDS.toNanos(answer.waitedMs));
      boolean changes = connections.change(partitions);
      if (changes) {
        connections.changed(partitions);
      }
      return changes;
    }

    List<Integer> ids(int partitions) {
      return IntStream.range(0, partitions)
          .mapToObj(at -> connections.node(broker, new TopicPartition("topic", at)))
          .peek(node -> assertEquals("broker:9092", node.host() + ":" + node.port()))
          .map(Node::id)
          .toList();
    }

    int count(int partitions) {
      return new HashSet<>(ids(partitions)).size();
    }

    int countAfter(Answer answer, int partitions) {
      changes(answer, partitions);
      return count(partitions);
    }
  }

  /** Each partition of a topic has its own, up to the limit; each has an id for Kafka. */
  @Test
  void severalWhereAnswersComeSlowly() {
    var consumer = new Consumer(4, ID);
    assertFalse(consumer.changes(FAST, 8));
    assertEquals(Collections.nCopies(8, ID), consumer.ids(8));
    assertTrue(consumer.changes(SLOW, 8));
    List<Integer> four = consumer.ids(8);
    assertEquals(4, new HashSet<>(four).size());
    assertEquals(4, new HashSet<>(four.subList(0, 4)).size());
    assertTrue(four.contains(ID));
    assertTrue(Collections.min(four) >= 0, "a bootstrap server has a negative one");
    assertFalse(consumer.changes(SLOW, 8));
    assertEquals(four, consumer.ids(8));
  }

  /** A link has been mended. */
  @Test
  void oneAgainWhereTheyComeFast() {
    var consumer = new Consumer(4, ID);
    assertEquals(4, consumer.countAfter(SLOW, 4));
    assertEquals(1, consumer.countAfter(FAST, 4));
  }

  static Stream<Answer> tellingNothing() {
    return Stream.of(
        new Answer(65_536, 20, 20), // a small answer takes a round trip on any link
        new Answer(1_000_000, 1000, 0), // the lane was busy while it came
        new Answer(16_777_216, 300, 300), // neither slow nor so fast that one would do
        new Answer(1_000_000, 20, 3_600_000)); // all was quiet before it came
  }

  /** One remains one, and four remain four. */
  @ParameterizedTest
  @MethodSource("tellingNothing")
  void notEachAnswerTells(Answer nothing) {
    var consumer = new Consumer(4, ID);
    assertEquals(1, consumer.countAfter(nothing, 4));
    assertEquals(4, consumer.countAfter(SLOW, 4));
    assertEquals(4, consumer.countAfter(nothing, 4));
  }

  /** The lane waits for the first of four; that it need not for the others says nothing. */
  @Test
  void answersSideBySideCountTogether() {
    var consumer = new Consumer(4, ID);
    for (int n = 0; n < 12; n++) {
      assertEquals(4, consumer.countAfter(new Answer(4_194_304, 1300, n % 4 == 0 ? 1300 : 0), 4));
    }
  }

  /** As topics come and go, too. */
  @Test
  void noMoreThanPartitions() {
    var consumer = new Consumer(4, ID);
    for (int partitions : new int[] {2, 1, 3, 0}) {
      assertTrue(consumer.changes(SLOW, partitions));
      assertEquals(partitions, consumer.count(partitions));
    }
  }

  /** {@code kmirror.connections.max = 1}. */
  @Test
  void theOperatorMayWantOne() {
    var consumer = new Consumer(1, ID);
    assertFalse(consumer.changes(SLOW, 2));
    assertEquals(List.of(ID, ID), consumer.ids(2));
  }

  /** All of them have ids that are no other broker's, and no coordinator's. */
  @Test
  void sixteenAreTheMost() {
    var consumer = new Consumer(16, 1_000_000);
    assertEquals(16, consumer.countAfter(SLOW, 16));
    assertEquals(1_000_000, Collections.min(consumer.ids(16)));
  }

  /** No bits are left for others. */
  @Test
  void aBrokerWhoseIdFillsTheNumberHasOne() {
    int big = Integer.MAX_VALUE - 6;
    var consumer = new Consumer(4, big);
    assertTrue(consumer.changes(SLOW, 4));
    assertEquals(Collections.nCopies(4, big), consumer.ids(4));
  }
}
