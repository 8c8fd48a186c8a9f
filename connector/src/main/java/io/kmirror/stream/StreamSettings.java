package io.kmirror.stream;

import com.fasterxml.jackson.databind.ObjectReader;
import io.kmirror.tuning.Binding;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.HashMap;

/**
 * What the streams of a MirrorMaker 1 do, as {@code kmirror/pipeline/streams.py} writes it.
 *
 * @param group consumer group on the source, of which every stream is a member
 * @param topics regular expression; a topic is copied when all of its name matches
 * @param streams how many there are
 * @param commitIntervalMs time between two commits
 * @param commitRetryMs after so long a commit is tried again that did not succeed
 * @param pollMs so long an answer of the source is waited for at a time
 * @param endMs so long the end of a stream may take
 * @param abortOnSendFailure end when a record cannot be sent; otherwise go on without it
 * @param waitsForEach wait for each record's acknowledgement
 * @param consumer Java client properties of the source's consumer
 * @param producer Java client properties of the target's producer
 */
public record StreamSettings(
    String group,
    String topics,
    int streams,
    long commitIntervalMs,
    long commitRetryMs,
    long pollMs,
    long endMs,
    boolean abortOnSendFailure,
    boolean waitsForEach,
    HashMap<String, String> consumer,
    HashMap<String, String> producer)
    implements Serializable {
  private static final ObjectReader READER = Binding.reader(StreamSettings.class);

  public static StreamSettings read(Path file) {
    return Binding.read(READER, file);
  }

  /** Client properties hold secrets: never print them. */
  @Override
  public String toString() {
    return streams + " streams of " + group;
  }
}
