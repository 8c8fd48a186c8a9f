package io.kmirror.batch;

import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.RecordBatch;

/** Several record batches becoming one, with the same records in the same order. */
interface BatchMerger {
  /**
   * Puts the records of *batch* behind those that are in it.
   *
   * @param bytes the batch itself, in an array
   * @return false when they are not such as can be written again; then nothing has changed
   */
  boolean add(RecordBatch batch, ByteBuffer bytes);

  /** How large it is at most when *batch* is added. */
  int bytesWith(RecordBatch batch);

  /** How many records it has. */
  int records();

  /** The one batch; nothing may be added any more. */
  ByteBuffer bytes();
}
