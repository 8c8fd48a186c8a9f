package io.kmirror.driver;

import com.fasterxml.jackson.databind.ObjectReader;
import io.kmirror.tuning.Binding;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The plan file, written by Python (kmirror/pipeline/plan_file.py), read at the start of each batch.
 *
 * @param version grows with every plan of a process
 * @param settings of the flow
 * @param slots what each of them has to do
 */
public record Plan(long version, Settings settings, List<Work> slots) {
  private static final ObjectReader READER = Binding.reader(Plan.class);
  private static final long AWAIT_EVERY_MS = 2;

  /**
   * What one slot has to do.
   *
   * @param transactionalIds of its producers, which take turns; none where nothing is to be opened
   * @param shares source partitions to copy, possibly none
   */
  public record Work(List<String> transactionalIds, List<Share> shares) {
    private static final ObjectReader READER = Binding.reader(Work.class);

    static Work of(String json) {
      return Binding.parsed(READER, json);
    }
  }

  /** What the plan of *version* gives a slot to do. */
  public record Part(long version, Work work) {}

  public static Plan read(Path file) {
    return Binding.read(READER, file);
  }

  /** Reads it as soon as it is there: a query begins while its first plan is still being made. */
  public static Plan await(Path file) {
    try {
      while (!Files.exists(file)) {
        Thread.sleep(AWAIT_EVERY_MS); // whoever gives the query up interrupts this
      }
    } catch (InterruptedException e) {
      throw new UncheckedIOException(new InterruptedIOException("the query was given up before it had a plan"));
    }
    return read(file);
  }

  public Slot[] slots(long epoch) {
    if (Mailbox.stopping(settings.flow(), settings.generation(), version, slots.size())) {
      return new Slot[0];
    }
    Slot[] all = new Slot[slots.size()];
    for (int i = 0; i < all.length; i++) {
      Work work = slots.get(i);
      String location = Mailbox.location(settings.flow(), i);
      all[i] = new Slot(settings, i, version, epoch, work.transactionalIds(), work.shares(), location);
    }
    return all;
  }
}
