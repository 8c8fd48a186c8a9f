package io.kmirror.batch;

import org.apache.kafka.common.KafkaException;

/** A batch has the right checksum, and its bytes are no records. */
public final class UnreadableBatchException extends KafkaException {
  private static final long serialVersionUID = 1L;

  /**
   * @param cause what went wrong
   */
  public UnreadableBatchException(Throwable cause) {
    super("its records cannot be read: " + cause, cause);
  }
}
