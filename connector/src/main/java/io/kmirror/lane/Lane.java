package io.kmirror.lane;

import io.kmirror.driver.FaultSink;
import io.kmirror.driver.Orders;
import io.kmirror.driver.Parking;
import io.kmirror.driver.Progress;
import io.kmirror.driver.Settings;
import io.kmirror.driver.Slot;
import io.kmirror.lane.LaneClock.Activity;
import io.kmirror.tuning.Tuning;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * One slot's way from an {@link Intake} to a {@link TargetWriter}, with the positions between. It is used by
 * one task at a time and outlives the batch, so that the seam between two batches costs no new clients.
 *
 * <p>The order that makes it exact: the writer is opened (which fences), then positions are read, then
 * the consumer seeks. When the reader asks for the next record, every earlier one has been through the
 * projection and the sink; so a commit made before handing out a record covers all earlier ones, those
 * that a filter dropped included.
 */
public final class Lane implements AutoCloseable {
  public final Settings settings;
  final int slot;

  /** A newer plan that is put there is taken up before the next record is handed out. */
  final Assignment has;

  private final Tuning.Lane tuning;
  private final Failures failures;
  private final OpenTransaction transaction;
  private final Orders orders;
  private final Progress progress;
  private final Throttle throttle;
  private final Intake intake;
  private final TargetWriter writer;
  private final CommitPrice price;
  private final Packer packer;
  private final TargetEnds targetEnds;
  private final Upkeep upkeep;
  private final SetAside aside;
  private final LaneFigures figures;
  private final int rowsPerClockLook;
  private final long roundNanosMin;
  private long epoch = -1;
  private boolean timeIsOver;
  private long commitSinceNanos;
  private int untilClockLook;
  private int recoveries;
  private long roundNanos;

  /**
   * @param slot whose
   * @param orders may tell it to stop
   * @param faults learns why the lane gives up
   */
  public Lane(Slot slot, Orders orders, FaultSink faults) {
    this.orders = orders;
    this.settings = slot.settings();
    this.slot = slot.index();
    this.tuning = settings.tuning().lane();
    // Looking at the clock for each record would cost as much as the record.
    this.rowsPerClockLook = settings.wholeBatches() ? 0 : tuning.clockLookRecords();
    this.roundNanosMin = TimeUnit.MICROSECONDS.toNanos(tuning.roundUs());
    this.upkeep = new Upkeep(tuning, System.nanoTime());
    this.failures = new Failures(tuning.failuresMax());
    this.has = new Assignment(share -> new SourcePartition(share, settings.tuning().offsets(), failures));
    this.targetEnds = new TargetEnds(settings.tuning().target().endsIntervalMs(), System.nanoTime());
    this.price = new CommitPrice(settings.tuning().transaction());
    this.transaction = new OpenTransaction(
        settings.tuning().transaction(), settings.commitIntervalMs(), settings.commitBytesMax(),
        Target.timeoutMs(settings, ProducerConfig.TRANSACTION_TIMEOUT_CONFIG), price, System::nanoTime);
    this.progress = new Progress(settings.flow(), this.slot, settings.generation(), settings.tuning().offsets());
    this.figures = new LaneFigures(tuning.clientFiguresMs());
    this.writer = new TargetWriter(slot, faults, figures);
    DeadLetters letters = new DeadLetters(settings, writer, failures);
    this.throttle = new Throttle(this.slot, System::nanoTime);
    try {
      this.intake = new Intake(settings, throttle, has.partitions, letters, figures, transaction::moved,
          p -> progress.changed(PartitionReport.of(p)));
    } catch (RuntimeException e) {
      writer.close();
      throw e;
    }
    this.aside = new SetAside(settings, has.all(), intake, writer);
    figures.watch(intake::clientMetrics, writer::clientMetrics);
    progress.tell(figures::writeTo, tuning.figuresMs());
    this.packer = new Packer(settings.tuning().batches(), intake, writer, letters, failures);
  }

  Progress progress() {
    return progress;
  }

  /** What was moved to last. */
  public Intake intake() {
    return intake;
  }

  /** Where the row of the last {@link #next} goes, before the next one is asked for. */
  public Packer packer() {
    return packer;
  }

  /** Whether the lane may go on with *slot*: same generation, and nobody else ran the slot in between. */
  boolean continues(Slot next) {
    return settings.generation() == next.settings().generation() && next.epoch() <= epoch + 1;
  }

  /** Takes over the slot's partitions for one batch: keeps what it has, reads positions for the rest. */
  public void assign(Slot next) {
    intake.connect(next.shares()); // while the writer is opened
    writer.open();
    epoch = next.epoch();
    timeIsOver = false;
    figures.beginBatch();
    progress.begin(take(Assignment.Offer.of(next.version(), next.shares())), next.version());
  }

  /** Takes up a newer plan within the batch: partitions that stay go on, with what they have open. */
  private void takeUp(Assignment.Offer newer) {
    List<SourcePartition> leaving = has.leaving(newer);
    if (!leaving.isEmpty()) {
      comeToRest(leaving, true);
    }
    progress.replace(take(newer), newer.version());
  }

  private List<Progress.Entry> take(Assignment.Offer plan) {
    figures.clock.enter(Activity.TARGET);
    List<SourcePartition> added = has.take(plan);
    readPositions(added);
    intake.take(added);
    figures.clock.enter(Activity.CONVERT);
    return has.all().stream().map(PartitionReport::of).toList();
  }

  /** Reads from the target from where *those* have to go on. */
  private void readPositions(Collection<SourcePartition> those) {
    if (those.isEmpty()) {
      return;
    }
    Map<TopicPartition, OffsetAndMetadata> found =
        writer.admin().positions(those.stream().map(p -> p.position).toList());
    for (SourcePartition partition : those) {
      OffsetAndMetadata position = found.get(partition.position);
      if (position == null) {
        intake.park(partition, Parking.positionMissing(settings.group()));
      } else if (!partition.startAt(position)) {
        intake.park(partition, Parking.topicRecreated());
      }
    }
  }

  /**
   * Moves to the next record, or whole batch, that {@link #intake} shows.
   *
   * @param bounded whether the copy has an end, at which nothing more comes
   * @return false when the time is over, the flow stops, or a bounded copy is complete
   */
  public boolean next(long deadlineNanos, boolean bounded) {
    while (true) {
      if (failures.any()) {
        recover(null);
      }
      if (--untilClockLook < 0) {
        untilClockLook = rowsPerClockLook;
        commitIfDue();
        if (orders.stops(settings.flow(), settings.generation())) {
          return false; // also with much at hand: a slow target takes its time for what it has been sent
        }
        has.offered().ifPresent(this::takeUp);
      }
      if (intake.advance()) {
        transaction.grow(
            settings.wholeBatches() ? intake.batch().sizeInBytes() : intake.record().sizeInBytes());
        return true;
      }
      untilClockLook = 0;
      if (bounded && completed()) {
        return false;
      }
      long now = System.nanoTime();
      if (now >= deadlineNanos) {
        timeIsOver = true;
        return false;
      }
      packer.flush();
      writer.target().release();
      if (transaction.isDueInPause(now, commitsAreSeen()) && !writer.isCommitting()) {
        commit();
      }
      if (intake.trickles()) {
        endRound();
      }
      throttle.follow(orders.limits(settings.flow()));
      intake.poll(Math.min(TimeUnit.NANOSECONDS.toMillis(deadlineNanos - now) + 1, pollMs(now)));
      writer.target().expect(intake.targetTopics());
      if (intake.isEmpty()) {
        transaction.commitSoon();
      }
    }
  }

  /**
   * Few records at a time go round by round: asked for, sent, acknowledged. What comes meanwhile shares
   * the next round's requests.
   */
  private void endRound() {
    figures.clock.enter(Activity.TARGET);
    writer.target().awaitLast(roundNanosMin);
    figures.clock.enter(Activity.IDLE);
    LockSupport.parkNanos(roundNanos + roundNanosMin - System.nanoTime()); // not at all when that is over
    roundNanos = System.nanoTime();
    figures.clock.enter(Activity.CONVERT);
  }

  private long pollMs(long now) {
    long leftMs = Math.max(writer.isCommitting() ? 1 : 0, transaction.leftMs(now, commitsAreSeen()));
    return Math.min(leftMs, tuning.idlePollMs());
  }

  /** Whether a reader of committed records gains by a commit that nothing has to wait for. */
  private boolean commitsAreSeen() {
    return settings.exactlyOnce() && intake.trickles() && !writer.target().far();
  }

  /** A bounded copy ends only with a commit: what the target refuses is set aside, the rest copied. */
  private boolean completed() {
    if (has.hasEnded()) {
      commit();
      settle();
    }
    return !failures.any() && has.hasEnded();
  }

  private void commitIfDue() {
    if (writer.hasSettled()) {
      settle();
    }
    long now = System.nanoTime();
    targetEnds.look(has.all(), writer.admin(), now);
    upkeep.look(has.all(), transaction, now);
    if (transaction.isDue(now)) {
      commit();
    }
  }

  /** The batch ends here: what was handed out is committed when this returns, or will be read again. */
  public void finish() {
    // Who takes over from here reads the map, or this process ends; otherwise the lane goes on.
    comeToRest(has.all(), !timeIsOver);
    figures.clock.enter(Activity.IDLE);
  }

  /**
   * Commits what was handed out, or goes back to where it can be read again.
   *
   * @param leaving of these the exact offset map is brought up to date
   * @param waits until that is done
   */
  private void comeToRest(Collection<SourcePartition> leaving, boolean waits) {
    commit();
    if (settle() && !failures.any()) {
      writeDown(leaving);
      if (waits) {
        settle();
      }
    }
    if (failures.any()) {
      recover(null);
    }
  }

  /** Brings the exact offset map up to date. */
  private void writeDown(Collection<SourcePartition> leaving) {
    try {
      writer.writeDown(leaving.stream().filter(SourcePartition::hasChunks).toList());
    } catch (KafkaException e) {
      Failures.rethrowInterrupt(e);
      recover(e);
    }
  }

  /**
   * Ends the open transaction; its commit goes on in the background. Chunks of the exact offset map that are
   * due go with it; what they tell is committed already.
   */
  private void commit() {
    List<SourcePartition> moved = transaction.partitions();
    if (moved.isEmpty()) {
      return;
    }
    try {
      packer.flush();
      if (!failures.any()) {
        upkeep.bringing(moved).forEach(writer::writeDown);
      }
      if (settings.exactlyOnce() || !failures.any()) {
        writer.target().flush();
      }
    } catch (KafkaException e) {
      Failures.rethrowInterrupt(e);
      recover(e);
      return;
    }
    if (failures.any() || !settle()) {
      return; // next() recovers, or it has been done
    }
    Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
    moved.forEach(p -> positions.put(p.position, p.position()));
    boolean filledFarLink = writer.target().filledFarLink();
    commitSinceNanos = transaction.sinceNanos();
    writer.commit(positions, moved.stream().map(SourcePartition::mark).toList());
    transaction.close(filledFarLink);
  }

  /** Waits for the transaction that is being committed, if there is one; false when it was lost. */
  private boolean settle() {
    KafkaException lost = awaitPending();
    if (lost != null) {
      recover(lost);
    }
    return lost == null;
  }

  private KafkaException awaitPending() {
    List<Mark> marks;
    Activity before = figures.clock.enter(Activity.TARGET);
    try {
      marks = writer.settle(price);
    } catch (KafkaException e) {
      Failures.rethrowInterrupt(e);
      return e;
    } finally {
      figures.clock.enter(before);
    }
    figures.committed(marks, commitSinceNanos);
    for (Mark mark : marks) {
      long from = mark.partition().committed(mark);
      progress.committed(PartitionReport.of(mark.partition()), from, mark.next(), mark.runs(), mark.leftOut());
    }
    if (!marks.isEmpty()) {
      progress.succeeded();
      recoveries = 0;
    }
    return null;
  }

  /**
   * Back to what is committed, after a failure. An answer that never came leaves the transaction's fate
   * open: then new producers are made, which ends the old ones' transactions, and positions are read.
   */
  private void recover(KafkaException own) {
    KafkaException lost = awaitPending();
    KafkaException indefinite = lost != null ? lost : own;
    List<Failures.Failure> failed = failures.take();
    Exception cause = indefinite != null || failed.isEmpty() ? indefinite : failed.get(0).cause();
    // What the producer gives up after a refusal fails with the same words: only the first one means it.
    Optional<Failures.Failure> refusal = failed.stream().filter(Failures.Failure::refuses).findFirst();
    // Of what is set aside its partition tells; the target itself is well.
    progress.failed(refusal.isPresent() ? null : cause);
    if (refusal.isEmpty() && ++recoveries > tuning.recoveriesMax()) {
      throw new KafkaException("the target failed " + recoveries + " times in a row", cause);
    }
    // Without transactions, what followed would be sent again before what was refused.
    boolean aborted = indefinite == null && settings.exactlyOnce() && writer.abort();
    if (!aborted) {
      writer.reopen();
    }
    packer.clear();
    has.all().forEach(SourcePartition::rewind);
    refusal.ifPresent(aside::refused);
    has.all().stream().filter(p -> p.cutAt() >= 0).toList().forEach(aside::parkCut);
    failures.take(); // an abort fails what was still in flight
    readPositions(aborted ? List.of() : has.all().stream().filter(p -> !p.isParked()).toList());
    transaction.close(false);
    intake.take(has.all());
  }

  @Override
  public void close() {
    writer.close();
    intake.close();
    packer.close();
  }
}
