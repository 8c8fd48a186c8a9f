package io.kmirror.driver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.kafka.common.TopicPartition;

/**
 * Why a partition stands still: a code, and the details that its text names.
 *
 * @param code why
 * @param group without a position, or null
 * @param target partition that has lost records, or null
 * @param offset where it was found, or where what is lost begins; null for none
 * @param end what follows what is lost, or null
 * @param error what a client says of it, or null
 */
public record Parking(
    ParkCode code, String group, TopicPartition target, Long offset, Long end, Exception error) {

  public static Parking positionMissing(String group) {
    return new Parking(ParkCode.POSITION_MISSING, group, null, null, null, null);
  }

  public static Parking topicRecreated() {
    return new Parking(ParkCode.TOPIC_RECREATED, null, null, null, null, null);
  }

  /** The source does not have *offset*, which is the next one. */
  public static Parking dataGap(long offset) {
    return new Parking(ParkCode.DATA_GAP, null, null, offset, null, null);
  }

  /** The source has lost offsets *from* (null: nobody knows) to before *end*, which were copied. */
  public static Parking logTruncated(Long from, long end) {
    return new Parking(ParkCode.LOG_TRUNCATED, null, null, from, end, null);
  }

  /** The target partition has lost its offsets *from* to before *end*. */
  public static Parking targetLostRecords(TopicPartition target, long from, long end) {
    return new Parking(ParkCode.TARGET_LOST_RECORDS, null, target, from, end, null);
  }

  public static Parking damagedBatch(long offset, Exception error) {
    return new Parking(ParkCode.DAMAGED_BATCH, null, null, offset, null, error);
  }

  public static Parking recordRefused(long offset, Exception error) {
    return new Parking(ParkCode.RECORD_REFUSED, null, null, offset, null, error);
  }

  public static Parking notAuthorized(Exception error) {
    return new Parking(ParkCode.NOT_AUTHORIZED, null, null, null, null, error);
  }

  public static Parking targetRefusesPartition(Exception error) {
    return new Parking(ParkCode.TARGET_REFUSES_PARTITION, null, null, null, null, error);
  }

  /**
   * Whether its lane keeps the partition's position. Of the others there is none that holds, or the driver is
   * about to decide, and takes the partition away.
   */
  public boolean keepsPosition() {
    return switch (code) {
      case DAMAGED_BATCH, RECORD_REFUSED, NOT_AUTHORIZED -> true;
      default -> false;
    };
  }

  /** Whether a lane comes to it again when it reads from an earlier offset. */
  public boolean isFoundAgain() {
    return code == ParkCode.DAMAGED_BATCH || code == ParkCode.RECORD_REFUSED;
  }

  /** Puts the code, and the details that there are, into *node*. */
  void writeTo(ObjectNode node) {
    node.put("code", code.code);
    if (group != null) {
      node.put("group", group);
    }
    if (target != null) {
      node.put("topic", target.topic()).put("partition", target.partition());
    }
    if (offset != null) {
      node.put("offset", offset);
    }
    if (end != null) {
      node.put("end", end);
    }
    if (error != null) {
      Json.failure(node, error);
    }
  }
}
