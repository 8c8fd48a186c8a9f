package io.kmirror.lane;

import org.apache.kafka.common.KafkaException;

/** The topic for dead letters does not take what the partition's own topic has refused. */
final class LetterRefusedException extends KafkaException {
  private static final long serialVersionUID = 1L;

  LetterRefusedException(String topic, Exception cause) {
    super(topic + ": " + cause.getMessage(), cause);
  }
}
