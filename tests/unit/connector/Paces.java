import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Callback;

/** Sends without end over a link that is imitated, at the pace that a lane would, with a commit now and then. */
public final class Paces {
  private static final long COMMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final Class<?> PACE = type("io.kmirror.Pace");

  private final double bytesPerNano;
  private final long roundTripNanos;
  private final Object pace;
  private long now;
  private long linkFreeNanos;

  /** An answer that comes when its time has come; whoever waits for it moves the clock. */
  private final class Answer extends CompletableFuture<Void> {
    private final long nanos;
    private Callback callback;

    Answer(long nanos, Callback callback) {
      this.nanos = nanos;
      this.callback = callback;
    }

    private void come() {
      if (callback != null) {
        long later = now;
        now = nanos; // whoever is called looks at the clock when the answer comes
        callback.onCompletion(null, null);
        now = later;
        callback = null;
      }
    }

    @Override
    public boolean isDone() {
      if (now >= nanos) {
        come();
      }
      return now >= nanos;
    }

    @Override
    public Void get() {
      now = Math.max(now, nanos);
      come();
      return null;
    }
  }

  private Paces(double bytesPerS, long roundTripMs) throws ReflectiveOperationException {
    this.bytesPerNano = bytesPerS / 1e9;
    this.roundTripNanos = TimeUnit.MILLISECONDS.toNanos(roundTripMs);
    LongSupplier clock = () -> now;
    Constructor<?> made = open(PACE.getDeclaredConstructor(long.class, LongSupplier.class));
    this.pace = made.newInstance(30_000L, clock);
  }

  /**
   * Each line of standard input is a link: bytes/s, round trip in ms. Prints for each the share of its rate
   * that was used, the longest wait before a commit in ms, the largest batch, and whether it is called far.
   */
  public static void main(String[] args) throws Exception {
    int pieceBytes = Integer.parseInt(args[0]);
    long endNanos = TimeUnit.SECONDS.toNanos(Long.parseLong(args[1]));
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ");
      new Paces(Double.parseDouble(words[0]), Long.parseLong(words[1])).run(pieceBytes, endNanos);
    }
  }

  private void run(int bytes, long endNanos) throws ReflectiveOperationException {
    long half = 0;
    long sent = 0;
    long longestFlush = 0;
    while (now < endNanos) {
      long begun = now;
      Future<?> last = null;
      while (now - begun < COMMIT_NANOS) {
        while (!(boolean) call("allows", long.class, (long) bytes)) {
          call("awaitOldest");
        }
        last = send(bytes);
        sent += bytes;
        if (now < endNanos / 2) {
          half = sent;
        }
      }
      long flushed = now;
      call("awaitAll");
      ((Answer) last).get();
      longestFlush = Math.max(longestFlush, now - flushed);
    }
    double share = (sent - half) / (bytesPerNano * (now - endNanos / 2));
    System.out.println(share + " " + longestFlush / 1e6 + " " + call("batchBytesMax") + " " + call("far"));
  }

  private Future<?> send(int bytes) throws ReflectiveOperationException {
    now += 1000 + bytes / 10; // a lane does not take more than 10 GB/s
    linkFreeNanos = Math.max(now, linkFreeNanos) + (long) (bytes / bytesPerNano);
    Method next = open(PACE.getDeclaredMethod("next", int.class, Callback.class));
    Callback callback = (Callback) next.invoke(pace, bytes, (Callback) (metadata, e) -> {});
    Answer answer = new Answer(linkFreeNanos + roundTripNanos, callback);
    open(PACE.getDeclaredMethod("sent", Future.class)).invoke(pace, answer);
    return answer;
  }

  private Object call(String name) throws ReflectiveOperationException {
    return open(PACE.getDeclaredMethod(name)).invoke(pace);
  }

  private Object call(String name, Class<?> type, Object argument) throws ReflectiveOperationException {
    return open(PACE.getDeclaredMethod(name, type)).invoke(pace, argument);
  }

  private static <T extends AccessibleObject> T open(T member) {
    member.setAccessible(true);
    return member;
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
