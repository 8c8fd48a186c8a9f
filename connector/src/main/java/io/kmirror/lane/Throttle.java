package io.kmirror.lane;

import com.fasterxml.jackson.databind.JsonNode;
import io.kmirror.driver.Json;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How fast a lane may read: its share of the flow's limit, and of each topic's. Python says the numbers,
 * and anew when they change. Whole batches are charged as they are handed out, into debt: what was too
 * much is waited for, so that a rate is kept however large a batch is.
 */
final class Throttle {
  /** Who has not read for a while may not make up for more than this. */
  private static final double SAVED_S = 0.5;

  /** An answer holds no more than comes in this time: larger ones would be bursts with long pauses. */
  private static final double ANSWER_S = 0.25;

  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Topic FREE = new Topic(null, 0);

  private final int slot;
  private final LongSupplier nanos;
  private String text = "";
  private Bucket all;
  private int open = Integer.MAX_VALUE;
  private Map<String, Topic> topics = Map.of();

  /** A limit, if it has one, and its class: 0 comes first. */
  private record Topic(Bucket bucket, int rank) {}

  /** What may be read, in bytes; below zero when more was read than that. */
  private final class Bucket {
    private double bytesPerNano;
    private double left;
    private long atNanos = nanos.getAsLong();

    void fill() {
      long now = nanos.getAsLong();
      left = Math.min(saved(), left + (now - atNanos) * bytesPerNano);
      atNanos = now;
    }

    double saved() {
      return bytesPerNano * NANOS * SAVED_S;
    }

    /** How long until more than *bytes* are there. */
    double nanosUntil(double bytes) {
      return left > bytes ? 0 : (bytes - left) / bytesPerNano + 1;
    }
  }

  Throttle(int slot, LongSupplier nanos) {
    this.slot = slot;
    this.nanos = nanos;
  }

  /** Whether anything is limited. */
  boolean isOn() {
    return !text.isEmpty();
  }

  /** Goes on by these numbers, as {@code kmirror/plans/limits.py} writes them; "" for none. */
  void follow(String limits) {
    if (limits.equals(text)) {
      return;
    }
    text = limits;
    JsonNode own = limits.isEmpty() ? Json.object() : Json.parsed(limits).path(slot);
    all = bucket(all, own.path("rate").asLong(0));
    open = own.path("open").asInt(Integer.MAX_VALUE);
    Map<String, Topic> named = new HashMap<>();
    own.path("topics").properties()
        .forEach(
            each -> {
              Bucket before = topics.getOrDefault(each.getKey(), FREE).bucket();
              long rate = each.getValue().path("rate").asLong(0);
              named.put(each.getKey(), new Topic(bucket(before, rate), each.getValue().path("rank").asInt()));
            });
    topics = named;
  }

  private Bucket bucket(Bucket before, long bytesPerS) {
    if (bytesPerS <= 0) {
      return null;
    }
    Bucket bucket = before == null ? new Bucket() : before;
    bucket.fill();
    bucket.bytesPerNano = bytesPerS / NANOS;
    return bucket;
  }

  /** So many bytes of *topic* are handed out. */
  void charge(String topic, int bytes) {
    if (!isOn()) {
      return;
    }
    if (all != null) {
      all.left -= bytes;
    }
    Bucket own = topics.getOrDefault(topic, FREE).bucket();
    if (own != null) {
      own.left -= bytes;
    }
  }

  /** How long until more of *topic* may be asked for; 0 for now, and the largest number for not by time alone. */
  long nanosUntil(String topic) {
    Topic its = topics.getOrDefault(topic, FREE);
    if (its.rank() > open) {
      return Long.MAX_VALUE;
    }
    double wait = 0;
    if (its.bucket() != null) {
      its.bucket().fill();
      wait = its.bucket().nanosUntil(0);
    }
    if (all != null) {
      all.fill();
      // A later class takes what the ones before leave: what they use does not come together.
      double spared = all.saved() * (1 - Math.pow(0.5, its.rank()));
      wait = Math.max(wait, all.nanosUntil(spared));
    }
    return (long) wait;
  }

  /**
   * The most that one answer should hold; the largest number when something is asked for without a limit.
   *
   * @param asked the topics that it is asked for
   */
  long answerBytes(Collection<String> asked) {
    double perNano = 0;
    for (String topic : asked) {
      Bucket own = topics.getOrDefault(topic, FREE).bucket();
      if (own == null) {
        perNano = Double.POSITIVE_INFINITY;
        break;
      }
      perNano += own.bytesPerNano;
    }
    if (all != null) {
      perNano = Math.min(perNano, all.bytesPerNano);
    }
    return (long) (perNano * NANOS * ANSWER_S);
  }
}
