package io.kmirror.lane;

import io.kmirror.driver.FaultSink;
import io.kmirror.driver.Settings;
import io.kmirror.driver.Slot;
import io.kmirror.offsets.OffsetChunk;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/**
 * The target side of a lane. While one transaction is being committed the next one is filled, through a
 * second producer: it begins after everything in the first was acknowledged, so that the order of records
 * stays; it is committed only after the first, and lost with it.
 */
final class TargetWriter implements AutoCloseable {
  private final Settings settings;
  private final FaultSink faults;
  private final LaneFigures figures;
  private final List<String> transactionalIds;
  private final Limits limits;
  private final Pace pace;
  private final ExecutorService committer;
  private final List<Target> targets = new CopyOnWriteArrayList<>(); // figures are read beside the task
  private CompletableFuture<Void> made;
  private TargetAdmin admin;
  private volatile boolean writesDown;
  private boolean isOpen;
  private int active;
  private Commit pending;

  /** A transaction on its way to its end, how far the partitions are when it succeeds, and how long it took. */
  private record Commit(List<Mark> marks, Future<Long> outcome) {}

  /** Nothing can be sent before it is opened. */
  TargetWriter(Slot slot, FaultSink faults, LaneFigures figures) {
    this.settings = slot.settings();
    this.faults = faults;
    this.figures = figures;
    this.transactionalIds = slot.transactionalIds();
    this.limits = new Limits(settings.tuning().target());
    this.writesDown = !settings.offsetMapTopic().isEmpty();
    long timeoutMs = Target.timeoutMs(settings, ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG);
    this.pace = new Pace(settings.tuning().pace(), timeoutMs, System::nanoTime);
    this.committer =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, "kmirror-commit " + slot.name());
              thread.setDaemon(true);
              return thread;
            });
    make();
  }

  /** Makes the clients; producers in the background, because that takes a while. */
  private void make() {
    isOpen = false;
    active = 0;
    admin = new TargetAdmin(settings, limits, faults);
    List<String> ids = settings.exactlyOnce() ? transactionalIds : transactionalIds.subList(0, 1);
    made = CompletableFuture.runAsync(() -> ids.forEach(this::addTarget), committer);
  }

  private void addTarget(String transactionalId) {
    targets.add(new Target(settings, transactionalId, admin, pace, figures.clock));
  }

  /** Fences, unless that is done, with all producers at once; after that, positions may be read. */
  void open() {
    if (isOpen) {
      return;
    }
    admin.checkOwner(); // whoever has lost the flow need not disturb its new owner
    Answers.await(made);
    List<Target> others = targets.subList(1, targets.size());
    var fencing = others.stream().map(each -> CompletableFuture.runAsync(each::fence, committer)).toList();
    targets.get(0).fence();
    fencing.forEach(Answers::await);
    admin.checkOwner();
    isOpen = true;
  }

  /** What is asked beside it. */
  TargetAdmin admin() {
    return admin;
  }

  /** Where the open transaction is filled. */
  Target target() {
    return targets.get(active);
  }

  /** What each producer measures of itself. */
  List<Map<MetricName, ? extends Metric>> clientMetrics() {
    List<Map<MetricName, ? extends Metric>> all = new ArrayList<>();
    targets.forEach(target -> all.add(target.clientMetrics()));
    return all;
  }

  /** Adds a partition's chunks to the exact offset map, unless that is not wanted, or not allowed. */
  void writeDown(SourcePartition partition) {
    for (OffsetChunk.Written each : partition.takeChunks()) {
      if (writesDown) {
        var record = new ProducerRecord<>(settings.offsetMapTopic(), 0, each.key(), each.value());
        target().send(record, this::wroteDown);
      }
    }
  }

  /** Adds their chunks in a transaction of its own, in the background; positions stay as they are. */
  void writeDown(List<SourcePartition> partitions) {
    if (!partitions.isEmpty()) {
      partitions.forEach(this::writeDown);
      commit(Map.of(), List.of());
    }
  }

  private void wroteDown(RecordMetadata metadata, Exception e) {
    if (e instanceof TopicAuthorizationException) {
      writesDown = false; // the map has a hole then, and records are copied all the same
    }
  }

  /** Commits what is acknowledged, in the background; what comes next goes through the other producer. */
  void commit(Map<TopicPartition, OffsetAndMetadata> positions, List<Mark> marks) {
    Target target = target();
    pending = new Commit(marks, committer.submit(() -> commit(target, positions)));
    active = (active + 1) % targets.size();
  }

  private static long commit(Target target, Map<TopicPartition, OffsetAndMetadata> positions) {
    long began = System.nanoTime();
    target.commit(positions);
    return System.nanoTime() - began;
  }

  /** Whether a transaction is on its way to its end. */
  boolean isCommitting() {
    return pending != null && !pending.outcome.isDone();
  }

  /** Whether a commit has come to its end that {@link #settle} was not called for yet. */
  boolean hasSettled() {
    return pending != null && pending.outcome.isDone();
  }

  /**
   * Waits for the transaction that is being committed; the clients' own timeouts bound it.
   *
   * @param price learns how long it took
   * @return what it committed, empty when there was none
   * @throws KafkaException it failed, or nobody knows its fate
   */
  List<Mark> settle(CommitPrice price) {
    if (pending == null) {
      return List.of();
    }
    Commit commit = pending;
    pending = null;
    try {
      long nanos = commit.outcome.get();
      price.took(nanos);
      figures.tookToCommit(nanos);
      return commit.marks;
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException cause ? cause : new KafkaException(e.getCause());
    }
  }

  /** Gives up the open transaction; false when the target does not say that it has. */
  boolean abort() {
    try {
      target().abort();
      return true;
    } catch (KafkaException e) {
      Failures.rethrowInterrupt(e);
      return false;
    }
  }

  /** New producers, which end whatever the old ones left open. */
  void reopen() {
    closeClients();
    make();
    open();
  }

  private void closeClients() {
    targets.forEach(Target::close);
    targets.clear();
    admin.close();
    pace.clear();
  }

  @Override
  public void close() {
    boolean mayBeMaking = committer.shutdownNow().isEmpty();
    if (mayBeMaking) {
      made.whenComplete((nothing, failure) -> closeClients());
    } else {
      closeClients();
    }
  }
}
