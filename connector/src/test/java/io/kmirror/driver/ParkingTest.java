package io.kmirror.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

/** Python makes texts of these examples (tests/support/parkings.py). */
final class ParkingTest {
  private static final JsonNode EXAMPLES = Json.parsed(System.getProperty("kmirror.parkings"));

  @Test
  void pythonReadsWhatIsWritten() {
    ArrayNode written = Json.array();
    List.of(
            Parking.positionMissing("__kmirror-A-B"),
            Parking.topicRecreated(),
            Parking.dataGap(7),
            Parking.logTruncated(40L, 50),
            Parking.logTruncated(null, 50),
            Parking.targetLostRecords(new TopicPartition("A.t", 3), 0, 5_000_000_000L),
            Parking.damagedBatch(200, new CorruptRecordException("Record is corrupt.")),
            Parking.recordRefused(10, new RecordTooLargeException("The message is 5075 bytes.")),
            Parking.notAuthorized(new TopicAuthorizationException("Not authorized to access topics: [t]")),
            Parking.targetRefusesPartition(new UnknownTopicOrPartitionException()))
        .forEach(each -> each.writeTo(written.addObject()));
    assertEquals(EXAMPLES, Json.parsed(written.toString())); // of a parser both have the same types of numbers
  }
}
