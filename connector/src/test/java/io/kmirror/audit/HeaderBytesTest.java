package io.kmirror.audit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Arrays;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Test;

/** Headers as bytes: any two that differ have others. */
final class HeaderBytesTest {

  private static byte[] of(String... namesAndValues) {
    Header[] headers = new Header[namesAndValues.length / 2];
    for (int i = 0; i < headers.length; i++) {
      String value = namesAndValues[2 * i + 1];
      headers[i] = new RecordHeader(namesAndValues[2 * i], value == null ? null : value.getBytes());
    }
    return HeaderBytes.of(headers);
  }

  @Test
  void noneIsNull() {
    assertNull(of());
  }

  @Test
  void theSameAreTheSame() {
    assertArrayEquals(of("a", "b", "c", null), of("a", "b", "c", null));
  }

  @Test
  void othersAreOthers() {
    byte[] one = of("a", "b", "c", "d");
    byte[][] others = {
      of("c", "d", "a", "b"), of("a", "b"), of("ab", "", "c", "d"), of("a", null, "c", "d"), of("a", "", "c", "d")
    };
    for (byte[] other : others) {
      assertFalse(Arrays.equals(one, other));
    }
    assertFalse(Arrays.equals(of("a", null), of("a", "")));
  }
}
