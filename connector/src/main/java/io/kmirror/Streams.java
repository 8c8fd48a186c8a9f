package io.kmirror;

import io.kmirror.stream.DroppedMessages;
import io.kmirror.stream.RunningStreams;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** A MirrorMaker 1's streams, for Python ({@code kmirror/pipeline/streams.py}). */
public final class Streams {
  private Streams() {}

  /** What is wrong with a regular expression of topics; "" for nothing. */
  public static String problem(String topics) {
    try {
      Pattern.compile(topics);
      return "";
    } catch (PatternSyntaxException e) {
      return e.getDescription() + " near index " + e.getIndex();
    }
  }

  /** To be called before the query starts. */
  public static void begin() {
    RunningStreams.begin();
    DroppedMessages.show();
  }

  /** Has the streams commit and end. */
  public static void stop() {
    RunningStreams.stop();
  }

  /** Has them end as they are: a cluster does not answer in time. */
  public static void abandon() {
    RunningStreams.abandon();
  }

  /** What happened since the last call, as JSON. */
  public static String collect() {
    return RunningStreams.collect();
  }
}
