package io.kmirror.offsets;

import io.kmirror.tuning.Tuning;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;

/**
 * What the exact offset map does not know yet of one partition: runs that are committed and not written
 * down. {@code kmirror/wire/offset_runs.py} describes the bytes, and reads them.
 */
public final class OffsetChunk {
  private static final byte VERSION = 1;

  /** The lowest bits of a run's count say which gaps follow it; without any, a marker came before. */
  private static final int SOURCE_GAP = 1;

  private static final int TARGET_GAP = 2;
  private static final int GAP_BITS = 2;

  private final String topic;
  private final int partition;
  private final String topicId;
  private final String targetId;
  private final int recordsMax;
  private final int bytesMax;
  private final List<Written> full = new ArrayList<>();
  private final Bytes runs = new Bytes();
  private long start;
  private long end;
  private long records;
  private long firstTarget;

  /** Where the runs end that are in the bytes; the last one is held back, the next may continue it. */
  private long sourceEnd;

  private long targetEnd;
  private long lastSource;
  private long lastTarget;
  private long lastCount;

  /** A chunk as a record of the map's topic. */
  public record Written(byte[] key, byte[] value) {}

  /**
   * @param topicId id of the source topic, or ""
   * @param targetId id of the target topic, or ""
   */
  public OffsetChunk(
      String topic, int partition, String topicId, String targetId, Tuning.Offsets tuning) {
    this.topic = topic;
    this.partition = partition;
    this.topicId = topicId;
    this.targetId = targetId;
    this.recordsMax = tuning.chunkRecordsMax();
    this.bytesMax = tuning.chunkBytesMax();
  }

  /** Forgets everything; what comes begins at source offset *offset*. */
  public void begin(long offset) {
    full.clear();
    open(offset);
  }

  private void open(long offset) {
    runs.reset();
    records = 0;
    lastCount = 0;
    start = offset;
    end = offset;
    sourceEnd = offset;
  }

  /** Takes what a transaction has committed; the partition stands at *next* now. */
  public void add(OffsetRuns committed, long next) {
    if (committed.isKnown()) {
      committed.forEach(this::add);
      end = next;
    } else {
      begin(next);
    }
  }

  private void add(long source, long target, long count) {
    if (isLarge()) {
      end = lastSource + lastCount;
      writeDown();
    }
    records += count;
    if (lastCount > 0 && source == lastSource + lastCount && target == lastTarget + lastCount) {
      lastCount += count;
      return;
    }
    if (lastCount > 0) {
      putLast();
    } else {
      firstTarget = target;
      targetEnd = target;
    }
    lastSource = source;
    lastTarget = target;
    lastCount = count;
  }

  private void putLast() {
    long sourceGap = lastSource - sourceEnd;
    long targetGap = lastTarget - targetEnd;
    int gaps = sourceGap == 0 ? 0 : SOURCE_GAP;
    if (targetGap != (sourceGap == 0 ? 1 : 0)) {
      gaps |= TARGET_GAP;
    }
    runs.number(lastCount << GAP_BITS | gaps);
    if ((gaps & SOURCE_GAP) != 0) {
      runs.number(sourceGap);
    }
    if ((gaps & TARGET_GAP) != 0) {
      runs.number(targetGap);
    }
    sourceEnd = lastSource + lastCount;
    targetEnd = lastTarget + lastCount;
  }

  public boolean isEmpty() {
    return full.isEmpty() && lastCount == 0;
  }

  /** Whether there is enough to be written down. */
  public boolean isDue() {
    return !full.isEmpty() || isLarge();
  }

  private boolean isLarge() {
    return records >= recordsMax || runs.size() >= bytesMax;
  }

  /** Gives what there is, and begins anew behind it. */
  public List<Written> take() {
    if (lastCount > 0) {
      writeDown();
    }
    List<Written> all = List.copyOf(full);
    full.clear();
    return all;
  }

  private void writeDown() {
    putLast();
    String key = "[\"" + topic + "\"," + partition + "," + start + "]";
    Bytes value = new Bytes();
    value.write(VERSION);
    value.id(topicId);
    value.id(targetId);
    value.number(end - start);
    value.number(firstTarget);
    runs.writeTo(value);
    full.add(new Written(key.getBytes(StandardCharsets.UTF_8), value.toByteArray()));
    open(end);
  }

  private static final class Bytes extends ByteArrayOutputStream {
    private static final int BITS = 7;
    private static final int MORE = 1 << BITS;

    /** Unsigned LEB128. */
    void number(long number) {
      long rest = number;
      while (rest >= MORE) {
        write((int) (rest % MORE) + MORE);
        rest >>>= BITS;
      }
      write((int) rest);
    }

    /** A topic's id, zeros when nobody knows it. */
    void id(String text) {
      Uuid id = text.isEmpty() ? Uuid.ZERO_UUID : Uuid.fromString(text);
      ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES);
      bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
      writeBytes(bytes.array());
    }

    void writeTo(Bytes other) {
      other.write(buf, 0, count);
    }
  }
}
