package org.apache.kafka.clients.consumer.internals;

import io.kmirror.fetch.AbortedTransactions;
import io.kmirror.fetch.AnswerMemory;
import io.kmirror.fetch.AnswerSize;
import io.kmirror.fetch.FetchConnections;
import io.kmirror.tuning.Tuning;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.FetchSessionHandler.FetchRequestData;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.internals.SubscriptionState.FetchPosition;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Timer;

/**
 * A consumer with assigned partitions that hands out record batches as they were fetched, before anybody
 * decompresses or splits them. It is put together from the parts of {@code ClassicKafkaConsumer}: what
 * they know of leaders, epochs, sessions, followers, throttling, security and reconnecting is known here.
 * It stands in their package because some of them are visible there only.
 */
public final class BatchConsumer implements AutoCloseable {
  private static final long ANSWERS_POLL_MS = 10;

  private final Time time = Time.SYSTEM;
  private final ApiVersions apiVersions = new ApiVersions();
  public final Metrics metrics;
  private final SubscriptionState subscriptions;
  private final ConsumerMetadata metadata;
  private final int trickleBytes;
  public final AnswerMemory memory;
  private final ConsumerNetworkClient client;
  private final FetchConnections connections;
  private final BatchFetcher fetcher;
  private final OffsetFetcher offsetFetcher;
  private final IsolationLevel isolation;
  private final Set<byte[]> handedOut = Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean trickles;

  /**
   * The batches of one partition, in order; without transaction markers and what was aborted.
   *
   * @param partition where they come from
   * @param batches the batches, possibly none
   * @param nextOffset what follows them and everything that was left out
   * @param epoch leader epoch of what lies right before that, where it is known
   * @param damage why what lies there cannot be read, or null
   */
  public record Fetched(
      TopicPartition partition,
      List<FetchedBatch> batches,
      long nextOffset,
      Optional<Integer> epoch,
      KafkaException damage) {}

  /** A batch, and its bytes as they came. */
  public record FetchedBatch(RecordBatch batch, ByteBuffer bytes) {}

  /**
   * @param properties Java client properties, as for {@code KafkaConsumer}
   * @param connectionsMax to each broker of a source that is far away
   * @param tuning how much is asked for
   */
  public BatchConsumer(Map<String, Object> properties, int connectionsMax, Tuning.Fetch tuning) {
    trickleBytes = tuning.trickleBytes();
    var deserializer = new ByteArrayDeserializer();
    var config =
        new ConsumerConfig(ConsumerConfig.appendDeserializerToConfig(properties, deserializer, deserializer));
    String clientId = config.getString(ConsumerConfig.CLIENT_ID_CONFIG);
    LogContext log = new LogContext("[Consumer clientId=" + clientId + "] ");
    long retryBackoffMs = config.getLong(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG);
    metrics = ConsumerUtils.createMetrics(config, time);
    subscriptions = ConsumerUtils.createSubscriptionState(config, log);
    metadata = new ConsumerMetadata(config, subscriptions, log, new ClusterResourceListeners());
    metadata.bootstrap(ClientUtils.parseAndValidateAddresses(config));
    FetchMetricsManager fetchMetrics = ConsumerUtils.createFetchMetricsManager(metrics);
    FetchConfig fetchConfig = new FetchConfig(config);
    memory = new AnswerMemory(tuning.pooledAnswerBytes(), (long) tuning.memoryAnswers() * fetchConfig.maxBytes);
    client = FetchNetwork.create(
        config, metrics, log, apiVersions, metadata, fetchMetrics.throttleTimeSensor(), memory, time);
    isolation = fetchConfig.isolationLevel;
    var deserializers = new Deserializers<>(deserializer, deserializer, metrics);
    int requestTimeoutMs = config.getInt(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG);
    AnswerSize answers = new AnswerSize(tuning, memory, fetchConfig.maxBytes, requestTimeoutMs);
    connections = new FetchConnections(tuning, connectionsMax);
    fetcher = new BatchFetcher(log, fetchConfig, deserializers, fetchMetrics, answers);
    offsetFetcher = new OffsetFetcher(
        log, client, metadata, subscriptions, time, retryBackoffMs, requestTimeoutMs, isolation, apiVersions);
  }

  /** Connects and asks about *topics*, so that it need not be done when they are assigned. */
  public void connect(Set<String> topics, long timeoutMs) {
    metadata.addTransientTopics(topics);
    client.ensureFreshMetadata(time.timer(timeoutMs));
    metadata.clearTransientTopics();
  }

  /** See {@code KafkaConsumer.assign}. */
  public void assign(Set<TopicPartition> partitions) {
    fetcher.clearBufferedDataForUnassignedPartitions(partitions);
    if (subscriptions.assignFromUser(new HashSet<>(partitions))) {
      metadata.requestUpdateForNewTopics();
    }
  }

  /** See {@code KafkaConsumer.assignment}. */
  public Set<TopicPartition> assignment() {
    return subscriptions.assignedPartitions();
  }

  /**
   * Asks for nothing of *held* until the next call, and for no more than so much at a time of the others.
   * What was asked for already is given all the same.
   */
  public void holdBack(Set<TopicPartition> held, long answerBytes) {
    fetcher.answers.limit(answerBytes);
    assignment().forEach(subscriptions::resume);
    held.forEach(subscriptions::pause);
  }

  /**
   * See {@code KafkaConsumer.seek}. With an epoch, {@link #poll} throws {@code LogTruncationException} when the
   * log is another one. The epoch is no news of the leader: of a source that was set back it would not come true.
   */
  public void seek(TopicPartition partition, long offset, Optional<Integer> epoch) {
    var leader = metadata.currentLeader(partition);
    subscriptions.seekUnvalidated(partition, new FetchPosition(offset, epoch, leader));
  }

  /**
   * Asks the source whether its logs still are those that positions were taken from (KIP-320).
   *
   * @param positions with the leader epoch of what lies right before each of them
   * @param timeoutMs how long to wait for answers
   * @return of those that were asked in time the position, or less where the log was truncated; -1 where it is
   *     not known how much less
   */
  public Map<TopicPartition, Long> kept(Map<TopicPartition, OffsetAndMetadata> positions, long timeoutMs) {
    Map<TopicPartition, Long> kept = new HashMap<>();
    Set<TopicPartition> open = new HashSet<>(positions.keySet());
    assign(open);
    positions.forEach((tp, at) -> seek(tp, at.offset(), at.leaderEpoch()));
    Timer timer = time.timer(timeoutMs);
    client.ensureFreshMetadata(timer);
    do {
      try {
        offsetFetcher.validatePositionsIfNeeded();
      } catch (LogTruncationException e) {
        for (TopicPartition tp : e.offsetOutOfRangePartitions().keySet()) {
          OffsetAndMetadata end = e.divergentOffsets().get(tp);
          kept.put(tp, end == null ? -1 : end.offset());
        }
      }
      for (TopicPartition tp : open) {
        if (subscriptions.hasValidPosition(tp) && subscriptions.position(tp).currentLeader.leader.isPresent()) {
          kept.put(tp, positions.get(tp).offset());
        }
      }
      if (open.removeAll(kept.keySet())) {
        assign(open);
      }
      client.poll(time.timer(Math.min(ANSWERS_POLL_MS, timer.remainingMs())));
      timer.update();
    } while (!open.isEmpty() && timer.notExpired());
    return kept;
  }

  /**
   * Gives what was fetched, and asks for more in the background. What was given the last time is gone:
   * its memory is used again.
   *
   * @param timeoutMs how long to wait when there is nothing yet
   * @throws org.apache.kafka.clients.consumer.OffsetOutOfRangeException a position is not on the source
   * @throws org.apache.kafka.common.errors.TopicAuthorizationException topics may not be read
   */
  public List<Fetched> poll(long timeoutMs) {
    Timer timer = time.timer(timeoutMs);
    fetcher.forget();
    do {
      offsetFetcher.validatePositionsIfNeeded();
      List<Fetched> fetched = fetcher.collect();
      if (fetched.isEmpty()) {
        sendFetches();
        long began = time.nanoseconds();
        client.poll(timer, () -> !fetcher.hasAvailableFetches());
        connections.waited(time.nanoseconds() - began);
        fetched = fetcher.collect();
      }
      if (!fetched.isEmpty()) {
        fetchAhead(fetched);
        return fetched;
      }
    } while (timer.notExpired());
    return List.of();
  }

  /**
   * Whether so little came that the next poll asks first. The caller may take its time before that: a
   * source that is asked for every single record has all of them delayed by the cost.
   */
  public boolean trickles() {
    return trickles;
  }

  /** Asks for what comes next while the caller works. */
  private void fetchAhead(List<Fetched> fetched) {
    trickles = bytes(fetched) < trickleBytes;
    if (!trickles && (sendFetches() > 0 || client.hasPendingRequests())) {
      client.transmitSends();
    }
  }

  private static int bytes(List<Fetched> fetched) {
    return fetched.stream().flatMap(each -> each.batches().stream()).mapToInt(b -> b.bytes().remaining()).sum();
  }

  private int sendFetches() {
    offsetFetcher.validatePositionsOnMetadataChange();
    return fetcher.sendFetches();
  }

  @Override
  public void close() {
    fetcher.close(time.timer(0)); // the timer has run out: nobody waits for answers
    try {
      client.close();
    } catch (IOException e) {
      // Sockets that do not close are closed when the process ends.
    }
    metrics.close();
  }

  /** Kafka's fetcher; its answers are taken before records are made of them. */
  private final class BatchFetcher extends Fetcher<byte[], byte[]> {
    private final FetchCollector<byte[], byte[]> collector;
    private final AnswerSize answers;
    private final boolean checksums;

    BatchFetcher(
        LogContext log,
        FetchConfig config,
        Deserializers<byte[], byte[]> deserializers,
        FetchMetricsManager fetchMetrics,
        AnswerSize answers) {
      super(
          log, client, BatchConsumer.this.metadata, BatchConsumer.this.subscriptions, config,
          deserializers, fetchMetrics, BatchConsumer.this.time, apiVersions);
      collector =
          new FetchCollector<>(
              log, BatchConsumer.this.metadata, BatchConsumer.this.subscriptions, config,
              deserializers, fetchMetrics, BatchConsumer.this.time);
      this.answers = answers;
      this.checksums = config.checkCrcs;
    }

    @Override
    public synchronized int sendFetches() {
      int partitions = subscriptions.numAssignedPartitions();
      answers.from(Math.min(partitions, BatchConsumer.this.metadata.fetch().nodes().size()));
      if (connections.change(partitions)) {
        if (!nodesWithPendingFetchRequests.isEmpty()) {
          return 0;
        }
        connections.changed(partitions);
        answers.share(connections.used());
      }
      return super.sendFetches();
    }

    @Override
    Node selectReadReplica(TopicPartition partition, Node leader, long nowMs) {
      return connections.node(super.selectReadReplica(partition, leader, nowMs), partition);
    }

    @Override
    protected FetchRequest.Builder createFetchRequest(Node node, FetchRequestData asked) {
      return super.createFetchRequest(node, asked).setMaxBytes(answers.bytes());
    }

    @Override
    protected void handleFetchSuccess(Node node, FetchRequestData asked, ClientResponse response) {
      long bytes = AnswerSize.of((FetchResponse) response.responseBody());
      if (answers.isFull(bytes)) {
        connections.came(bytes, response.requestLatencyMs());
      }
      answers.came(bytes, response.requestLatencyMs());
      super.handleFetchSuccess(node, asked, response);
    }

    @Override
    protected void handleFetchFailure(Node node, FetchRequestData asked, Throwable cause) {
      answers.failed();
      super.handleFetchFailure(node, asked, cause);
    }

    /** Answers that were handed out in full. */
    void forget() {
      if (fetchBuffer.isEmpty()) { // otherwise another partition's part of one may still be in there
        handedOut.forEach(memory::release);
        handedOut.clear();
      }
    }

    /** Takes all answers that have come; one that is an error ends the round, or is the only one. */
    List<Fetched> collect() {
      List<Fetched> all = new ArrayList<>();
      for (CompletedFetch fetch = fetchBuffer.peek(); fetch != null; fetch = fetchBuffer.peek()) {
        CompletedFetch usable;
        try {
          usable = collector.initialize(fetch);
        } catch (KafkaException e) {
          if (!all.isEmpty()) {
            return all; // it is still in the buffer, and comes first the next time
          }
          fetchBuffer.poll();
          return List.of(damaged(fetch, e));
        }
        fetchBuffer.poll();
        // Also of partitions that are held back since: it is here, and would have to be asked for again.
        if (usable != null && subscriptions.hasValidPosition(fetch.partition)) {
          all.add(take(usable));
        }
        fetch.drain();
      }
      return all;
    }

    /** Data that is no batches is the partition's own trouble; other errors are not. */
    private Fetched damaged(CompletedFetch fetch, KafkaException e) {
      Errors error = Errors.forCode(fetch.partitionData.errorCode());
      if (error != Errors.NONE && error != Errors.CORRUPT_MESSAGE) {
        throw e;
      }
      return new Fetched(fetch.partition, List.of(), fetch.nextFetchOffset(), Optional.empty(), e);
    }

    private Fetched take(CompletedFetch fetch) {
      TopicPartition partition = fetch.partition;
      FetchPosition position = subscriptions.position(partition);
      long next = position.offset;
      Optional<Integer> epoch = position.offsetEpoch;
      List<FetchedBatch> kept = new ArrayList<>();
      var aborted = new AbortedTransactions(fetch.partitionData.abortedTransactions());
      boolean any = false;
      CorruptRecordException damage = null;
      try {
        var records = (MemoryRecords) FetchResponse.recordsOrFail(fetch.partitionData);
        ByteBuffer ahead = records.buffer();
        handedOut.add(ahead.array());
        for (RecordBatch batch : records.batches()) {
          any = true;
          ByteBuffer bytes = ahead.slice(ahead.position(), batch.sizeInBytes());
          ahead.position(ahead.position() + batch.sizeInBytes());
          next = Math.max(position.offset, batch.nextOffset()); // of the last one: others may be damaged
          epoch = Optional.of(batch.partitionLeaderEpoch()).filter(e -> e >= 0);
          boolean dropped = isolation == IsolationLevel.READ_COMMITTED && aborted.contains(batch);
          boolean isCopied = !dropped && !batch.isControlBatch() && batch.lastOffset() >= position.offset;
          if (isCopied || checksums && !batch.isValid()) { // what a damaged header says counts for nothing
            kept.add(new FetchedBatch(batch, bytes));
          }
        }
      } catch (CorruptRecordException e) {
        damage = e;
      }
      if (any) {
        subscriptions.position(partition, new FetchPosition(next, epoch, position.currentLeader));
        subscriptions.movePartitionToEnd(partition); // so that all get their turn
      }
      return new Fetched(partition, kept, next, epoch, damage);
    }
  }
}
