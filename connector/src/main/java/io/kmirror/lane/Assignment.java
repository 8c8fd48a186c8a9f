package io.kmirror.lane;

import io.kmirror.driver.Share;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;

/** The partitions that a lane has, and the plan that gives it these; a newer one may lie ready. */
final class Assignment {
  /** For the intake, which finds partitions by what was fetched. */
  final Map<TopicPartition, SourcePartition> partitions = new HashMap<>();

  private final Function<Share, SourcePartition> opens;
  private final AtomicReference<Offer> offered = new AtomicReference<>();
  private volatile long version;

  /** What the plan of *version* gives to the lane, by source partition. */
  record Offer(long version, Map<TopicPartition, Share> shares) {
    static Offer of(long version, List<Share> shares) {
      Map<TopicPartition, Share> found = new HashMap<>();
      shares.forEach(s -> found.put(new TopicPartition(s.topic(), s.partition()), s));
      return new Offer(version, found);
    }

    boolean continues(SourcePartition partition) {
      return partition.continues(shares.get(partition.source));
    }
  }

  /**
   * @param opens makes a partition of a share that it did not have
   */
  Assignment(Function<Share, SourcePartition> opens) {
    this.opens = opens;
  }

  Collection<SourcePartition> all() {
    return partitions.values();
  }

  /** The version of the newest plan that it has, or that lies ready. */
  long known() {
    Offer offer = offered.get();
    return offer == null ? version : Math.max(version, offer.version());
  }

  /** Has a newer plan lie ready; any thread may call this. */
  void offer(Offer newer) {
    offered.set(newer);
  }

  /** Takes the newer plan that lies ready, if there is one. */
  Optional<Offer> offered() {
    if (offered.get() == null) { // it is asked for again and again
      return Optional.empty();
    }
    return Optional.of(offered.getAndSet(null)).filter(offer -> offer.version() > version);
  }

  /** Gives those that do not simply go on with *plan*. */
  List<SourcePartition> leaving(Offer plan) {
    return all().stream().filter(p -> !plan.continues(p)).toList();
  }

  /** Has what *plan* gives from now on, and nothing else; gives the partitions that begin. */
  List<SourcePartition> take(Offer plan) {
    all().removeIf(p -> !plan.continues(p));
    List<SourcePartition> added = new ArrayList<>();
    plan.shares()
        .forEach(
            (tp, share) -> {
              if (!partitions.containsKey(tp)) {
                SourcePartition partition = opens.apply(share);
                partitions.put(tp, partition);
                added.add(partition);
              }
            });
    version = plan.version();
    return added;
  }

  /** Whether none goes on. */
  boolean hasEnded() {
    return all().stream().allMatch(SourcePartition::ended);
  }
}
