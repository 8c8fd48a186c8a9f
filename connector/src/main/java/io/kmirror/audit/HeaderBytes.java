package io.kmirror.audit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;

/** A record's headers as bytes that tell any two apart: lengths come before what they measure. */
public final class HeaderBytes {
  private static final int NULL = -1;

  private HeaderBytes() {}

  /** Gives them in order; null when there are none. */
  public static byte[] of(Header[] headers) {
    if (headers.length == 0) {
      return null;
    }
    byte[][] parts = new byte[2 * headers.length][];
    int size = 0;
    for (int i = 0; i < headers.length; i++) {
      parts[2 * i] = headers[i].key().getBytes(StandardCharsets.UTF_8);
      parts[2 * i + 1] = headers[i].value();
    }
    for (byte[] part : parts) {
      size += Integer.BYTES + (part == null ? 0 : part.length);
    }
    ByteBuffer bytes = ByteBuffer.allocate(size);
    for (byte[] part : parts) {
      bytes.putInt(part == null ? NULL : part.length);
      if (part != null) {
        bytes.put(part);
      }
    }
    return bytes.array();
  }
}
