package io.kmirror.lane;

import org.apache.kafka.common.KafkaException;

/** The target wrote at an offset that it had acknowledged before: from there on it has lost records. */
final class RecordsLostException extends KafkaException {
  private static final long serialVersionUID = 1L;

  RecordsLostException(long offset) {
    super("offset " + offset + " is written anew, though the target had acknowledged it");
  }
}
