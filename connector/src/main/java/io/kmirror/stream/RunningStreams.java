package io.kmirror.stream;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The streams of this JVM's MirrorMaker 1. They live here, not in tasks, because a stream outlives the batch.
 * Driver and tasks are one process: other machines have other members of the group.
 */
public final class RunningStreams {
  private static final Map<Integer, Stream> BY_INDEX = new HashMap<>();
  private static final Map<Long, Stream> BY_TASK = new HashMap<>();

  /** They wait for the target, and can still be abandoned. */
  private static final Set<Stream> ENDING = new HashSet<>();
  private static volatile StreamNews news = new StreamNews();
  private static volatile boolean stops;
  private static volatile boolean isAbandoned;
  private static volatile boolean isAtRest;

  private RunningStreams() {}

  /** Nothing of an earlier mirror is told any more. */
  public static synchronized void begin() {
    news = new StreamNews();
    stops = false;
    isAbandoned = false;
    isAtRest = false;
  }

  /** Gives a task its stream: the one that the batch before had; null when none is to run any more. */
  public static Stream open(StreamSettings settings, int index, long task) {
    synchronized (RunningStreams.class) {
      Stream known = BY_INDEX.get(index);
      if (stops || known != null) {
        BY_TASK.put(task, known);
        return known;
      }
    }
    try {
      Stream stream = new Stream(settings, index, news, () -> stops);
      synchronized (RunningStreams.class) {
        BY_INDEX.put(index, stream);
        BY_TASK.put(task, stream);
      }
      return stream;
    } catch (RuntimeException e) {
      fail(index, e);
      return null;
    }
  }

  /** Moves a stream to its next record; false when the batch is over, or the stream. */
  public static boolean next(Stream stream, long deadlineNanos) {
    try {
      return stream.next(deadlineNanos);
    } catch (RuntimeException e) {
      fail(stream, e);
      return false;
    }
  }

  /** Sends a record down the stream of a task. */
  public static void send(long task, ProducerRecord<byte[], byte[]> record) {
    Stream stream = ofTask(task);
    if (stream == null) {
      throw new IllegalStateException("rows without a stream in the same task: a shuffle?");
    }
    try {
      stream.send(record);
    } catch (RuntimeException e) {
      fail(stream, e);
    }
  }

  private static synchronized Stream ofTask(long task) {
    return BY_TASK.get(task);
  }

  /** The task ended well: its stream waits for the next batch, or ends in good order. */
  public static void release(long task) {
    Stream stream;
    synchronized (RunningStreams.class) {
      stream = BY_TASK.remove(task);
    }
    if (stream != null && stops) {
      end(stream);
    }
  }

  /** The task failed: nobody knows what of its last record was sent. */
  public static void discard(long task) {
    Stream stream;
    synchronized (RunningStreams.class) {
      stream = BY_TASK.remove(task);
    }
    if (stream != null) {
      fail(stream, new IllegalStateException("Spark ended its task"));
    }
  }

  private static void end(Stream stream) {
    synchronized (RunningStreams.class) {
      if (!forget(stream)) {
        return; // it has failed, or is ended already
      }
      ENDING.add(stream);
    }
    try {
      stream.end();
    } catch (RuntimeException e) {
      fail(stream.index(), e);
    } finally {
      synchronized (RunningStreams.class) {
        ENDING.remove(stream);
      }
    }
  }

  private static void fail(Stream stream, RuntimeException cause) {
    fail(stream.index(), cause);
    if (forget(stream)) {
      try {
        stream.close();
      } catch (RuntimeException e) {
        // It is gone all the same; the first cause is told.
      }
    }
  }

  /** One that dies ends the others, in good order. */
  private static void fail(int index, RuntimeException cause) {
    if (!isAbandoned) {
      news.failed(index, cause);
    }
    stops = true;
  }

  private static synchronized boolean forget(Stream stream) {
    return BY_INDEX.remove(stream.index(), stream);
  }

  /** Streams commit what they have sent and end; the next batch is an empty one. */
  public static void stop() {
    stops = true;
  }

  /** Streams end as they are, and leave the group: what was not committed will be read again. */
  public static void abandon() {
    isAbandoned = true;
    stops = true;
    all().forEach(Stream::abandon);
  }

  private static synchronized List<Stream> running() {
    return List.copyOf(BY_INDEX.values());
  }

  /** Those that are being ended, too. */
  private static synchronized List<Stream> all() {
    List<Stream> all = new ArrayList<>(BY_INDEX.values());
    all.addAll(ENDING);
    return all;
  }

  /** Whether the batch that is about to be planned has to be empty: no task of an earlier one runs. */
  public static boolean endsAll() {
    if (!stops) {
      return false;
    }
    running().forEach(RunningStreams::end);
    isAtRest = true;
    return true;
  }

  /** Looks after the streams, and gives what happened since the last call, as JSON. */
  public static String collect() {
    ObjectNode all = news.collect();
    ArrayNode waiting = all.putArray("waiting");
    long now = System.nanoTime();
    for (Stream stream : all()) {
      stream.watch();
      StreamProducer.Blocked blocked = stream.blocked();
      if (blocked != null) {
        long ms = TimeUnit.NANOSECONDS.toMillis(now - blocked.sinceNanos());
        waiting.addObject().put("stream", stream.index()).put("topic", blocked.topic()).put("ms", ms);
      }
    }
    return all.put("stops", stops).put("at_rest", isAtRest).toString();
  }

  static long droppedRecords() {
    return news.droppedRecords();
  }
}
