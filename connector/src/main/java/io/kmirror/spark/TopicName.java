package io.kmirror.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The topic of a task's rows, as text. Rows come in runs of one topic, so one remembered name saves
 * nearly every conversion.
 */
final class TopicName {
  private UTF8String last;
  private String lastName;

  String of(InternalRow row) {
    UTF8String topic = row.getUTF8String(RecordRow.TOPIC);
    if (!topic.equals(last)) {
      last = topic.clone();
      lastName = topic.toString();
    }
    return lastName;
  }
}
