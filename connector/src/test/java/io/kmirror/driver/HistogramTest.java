package io.kmirror.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ArrayNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where times are counted. */
final class HistogramTest {
  @ParameterizedTest
  @CsvSource({"-5, 0", "0, 0", "1, 0", "2, 1", "3, 2", "4, 2", "5, 3", "1024, 10", "1025, 11", "9223372036854775807, 39"})
  void aTimeIsInTheFirstBucketThatIsLongEnough(long ms, int bucket) {
    Histogram histogram = new Histogram();
    histogram.add(ms, 3);
    ArrayNode numbers = Json.object().putArray("numbers");
    histogram.writeTo(numbers);
    assertEquals(41, numbers.size());
    for (int i = 0; i < 40; i++) {
      assertEquals(i == bucket ? 3 : 0, numbers.get(1 + i).asLong());
    }
  }
}
