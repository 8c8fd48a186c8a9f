package io.kmirror.lane;

import io.kmirror.batch.WholeBatch;
import io.kmirror.driver.Settings;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.internals.BatchAppender;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The target cluster as a lane sees it: records and positions go in together, or, with exactly once
 * switched off, the positions right after the records were acknowledged.
 */
final class Target implements AutoCloseable {
  /** Smaller records are never near a topic's limit. */
  private static final int SMALL_BYTES = 1024;

  /** What a record and its batch need beside key, value and headers, generously. */
  private static final int OVERHEAD_BYTES = 256;

  /** Kafka's default; a longer one is the operator's, who wants larger batches. */
  private static final long LINGER_MS_DEFAULT = 5;

  private final Settings settings;
  private final TargetAdmin admin;
  private final Pace pace;
  private final LaneClock clock;
  private final KafkaProducer<byte[], byte[]> producer;
  private final BatchAppender appender;
  private final long lingerMs;
  private final long memoryBytes;
  private final int requestBytesMax;
  private final CompressionType codec;
  private final Set<TopicPartition> waiting = new HashSet<>();
  private boolean inTransaction;
  private boolean waited;
  private Future<?> last = CompletableFuture.completedFuture(null);

  Target(Settings settings, String transactionalId, TargetAdmin admin, Pace pace, LaneClock clock) {
    this.settings = settings;
    this.admin = admin;
    this.pace = pace;
    this.clock = clock;
    Map<String, Object> properties = new HashMap<>(settings.producer());
    if (settings.exactlyOnce()) {
      properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
    }
    properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    ProducerConfig config = new ProducerConfig(properties);
    lingerMs = config.getLong(ProducerConfig.LINGER_MS_CONFIG);
    memoryBytes = config.getLong(ProducerConfig.BUFFER_MEMORY_CONFIG);
    requestBytesMax = config.getInt(ProducerConfig.MAX_REQUEST_SIZE_CONFIG);
    codec = CompressionType.forName(config.getString(ProducerConfig.COMPRESSION_TYPE_CONFIG));
    producer = new KafkaProducer<>(properties);
    appender = new BatchAppender(producer, config.getLong(ProducerConfig.MAX_BLOCK_MS_CONFIG));
  }

  /** Ends whatever a previous owner of the id left open, and keeps it from writing. */
  void fence() {
    if (settings.exactlyOnce()) {
      producer.initTransactions();
    }
  }

  /** Gives one of the producer's time-outs. */
  static long timeoutMs(Settings settings, String name) {
    Object kafkas = ProducerConfig.configDef().defaultValues().get(name);
    return Long.parseLong(settings.producer().getOrDefault(name, kafkas.toString()));
  }

  /** Records of *topics* will be sent next; those that the producer has not seen it asks for at once. */
  void expect(Collection<String> topics) {
    appender.expect(topics);
  }

  /**
   * Sends a record; one near its topic's max.message.bytes travels alone. The producer splits a batch
   * that the target finds too large; when only a few bytes follow the largest record, it puts both
   * together again, for ever.
   */
  void send(ProducerRecord<byte[], byte[]> record, Callback callback) {
    begin();
    int size = size(record);
    if (size < SMALL_BYTES || size + OVERHEAD_BYTES < admin.limitOf(record.topic())) {
      awaitRoom(size);
      last = producer.send(record, pace.next(size, callback));
      pace.sent(last);
      waiting.add(new TopicPartition(record.topic(), record.partition()));
      return;
    }
    producer.flush();
    producer.send(record, callback);
    producer.flush();
  }

  /** Sends a record when everything before it is acknowledged, and waits for its answer; not when *lost*. */
  void sendAlone(ProducerRecord<byte[], byte[]> record, BooleanSupplier lost, Callback callback) {
    begin();
    flush();
    if (!lost.getAsBoolean()) {
      producer.send(record, callback);
      producer.flush();
    }
  }

  /** How large a record of *topic* may be, as far as the producer and the target tell. */
  int recordBytesMax(String topic) {
    return (int) Math.min(Math.min(requestBytesMax, memoryBytes), admin.limitOf(topic));
  }

  /** How large key, value and headers are. */
  static int size(ProducerRecord<byte[], byte[]> record) {
    int size = length(record.key()) + length(record.value());
    for (Header header : record.headers().toArray()) { // an iterator would be made for each record
      size += header.key().length() + length(header.value());
    }
    return size;
  }

  private static int length(byte[] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  /** Whether the producer cannot hold a batch as large as this, or the target is known to refuse it. */
  boolean tooLarge(String topic, int batchBytes) {
    return batchBytes > memoryBytes
        || admin.limitMatters(topic) && batchBytes > admin.limitOf(topic);
  }

  /** Whether round trips to the target are long. */
  boolean far() {
    return pace.far();
  }

  /** Whether there was more to send, since this was asked last, than the link to a far target takes. */
  boolean filledFarLink() {
    boolean filled = waited && far();
    waited = false;
    return filled;
  }

  /** Whether the producer was told a codec, and the batch has another one. */
  boolean compressesAnew(RecordBatch batch) {
    return codec != CompressionType.NONE && codec != batch.compressionType();
  }

  /** Whether the link is so slow that a batch as large as this could be sent again before it is there. */
  boolean tooSlow(int batchBytes) {
    return batchBytes > pace.batchBytesMax();
  }

  /**
   * The leader epoch in which *partition* is written to from now on; a later one may have begun. Waits for a
   * topic that the producer does not know yet.
   *
   * @return null when the target does not tell
   */
  Integer leaderEpoch(TopicPartition partition) {
    producer.partitionsFor(partition.topic());
    return appender.leaderEpoch(partition);
  }

  /** Sends a batch of *records* records as it is, to a topic that {@link #leaderEpoch} was asked for. */
  Future<?> send(TopicPartition partition, ByteBuffer batch, int records, Callback callback) {
    begin();
    int size = batch.remaining();
    awaitRoom(size);
    ByteBuffer bytes = appender.allocate(size);
    bytes.put(batch);
    Callback timed = pace.next(size, callback);
    last = appender.append(partition, new WholeBatch(bytes.rewind()), records, timed);
    pace.sent(last);
    return last;
  }

  private void awaitRoom(int bytes) {
    while (!pace.allows(bytes)) {
      waited = true;
      releaseNow(); // what lingers is not answered
      LaneClock.Activity before = clock.enter(LaneClock.Activity.TARGET);
      pace.awaitOldest();
      clock.enter(before);
    }
  }

  private void begin() {
    if (settings.exactlyOnce() && !inTransaction) {
      producer.beginTransaction();
      inTransaction = true;
    }
  }

  /** Has records go out that wait for others to share their batches; a long {@code linger.ms} is meant so. */
  void release() {
    if (lingerMs <= LINGER_MS_DEFAULT) {
      releaseNow();
    }
  }

  private void releaseNow() {
    if (!waiting.isEmpty()) {
      appender.release(waiting);
      waiting.clear();
    }
  }

  /** Waits until what was sent last is acknowledged, or refused, or *nanosMax* have passed. */
  void awaitLast(long nanosMax) {
    try {
      last.get(nanosMax, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException | TimeoutException e) {
      // Its callback knows more, or will.
    }
  }

  /** Waits for every acknowledgement; what failed is told to the callbacks. */
  void flush() {
    releaseNow();
    LaneClock.Activity before = clock.enter(LaneClock.Activity.TARGET);
    pace.awaitAll();
    producer.flush();
    clock.enter(before);
  }

  /** Ends the transaction with *positions*; with none, what was sent is awaited here. */
  @SuppressWarnings("removal") // there is no other way to name a group that has no members
  void commit(Map<TopicPartition, OffsetAndMetadata> positions) {
    if (!settings.exactlyOnce()) {
      if (positions.isEmpty()) {
        producer.flush();
      } else {
        admin.write(positions);
      }
      return;
    }
    begin();
    producer.sendOffsetsToTransaction(positions, new ConsumerGroupMetadata(settings.group()));
    producer.commitTransaction();
    inTransaction = false;
  }

  /** What the producer measures of itself. */
  Map<MetricName, ? extends Metric> clientMetrics() {
    return producer.metrics();
  }

  void abort() {
    if (inTransaction) {
      producer.abortTransaction();
      inTransaction = false;
    }
  }

  /** At once: an open transaction is aborted by whoever opens the slot next. */
  @Override
  public void close() {
    try {
      producer.close(Duration.ZERO);
    } catch (InterruptException e) {
      // It is closed; the thread knows that it is to end.
    }
  }
}
