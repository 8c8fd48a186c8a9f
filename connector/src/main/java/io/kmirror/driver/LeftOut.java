package io.kmirror.driver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;

/**
 * A record, or a damaged batch, that the copy goes on without.
 *
 * @param cause why, and at which offset
 * @param reason why, for programs
 * @param end the source offset behind it
 * @param bytes of it
 * @param letter its offset in the topic for dead letters, or NO_LETTER if that does not have it
 */
public record LeftOut(Parking cause, String reason, long end, int bytes, long letter) {
  public static final long NO_LETTER = -1;

  /** Puts the cause, and the rest, into *node*; {@code kmirror/pipeline/desk.py} reads it. */
  void writeTo(ObjectNode node) {
    cause.writeTo(node);
    node.put("reason", reason).put("behind", end).put("bytes", bytes);
    boolean isKept = letter != NO_LETTER;
    node.put("poison", (isKept ? Poison.DLQ : Poison.SKIP).name().toLowerCase(Locale.ROOT));
    if (isKept) {
      node.put("letter", letter);
    }
  }
}
