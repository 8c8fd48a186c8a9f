package io.kmirror.spark;

import io.kmirror.stream.RunningStreams;
import io.kmirror.stream.StreamSettings;
import java.nio.file.Path;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * One stream's work for one batch.
 *
 * @param settings of all streams
 * @param index which of them
 * @param epoch number of the batch
 */
record StreamSlot(StreamSettings settings, int index, long epoch) implements InputPartition {

  /** Gives what each stream has to do in a batch; nothing when they are to end. */
  static InputPartition[] slots(Path file, long epoch) {
    if (RunningStreams.endsAll()) {
      return new InputPartition[0];
    }
    StreamSettings settings = StreamSettings.read(file);
    InputPartition[] all = new InputPartition[settings.streams()];
    for (int i = 0; i < all.length; i++) {
      all[i] = new StreamSlot(settings, i, epoch);
    }
    return all;
  }
}
