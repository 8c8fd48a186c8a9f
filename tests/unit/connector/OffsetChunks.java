import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HexFormat;
import java.util.List;

/** Collects the transactions that standard input tells of, and prints the chunks made of them. */
public final class OffsetChunks {
  private static final Class<?> CHUNK = type("OffsetChunk");
  private static final Class<?> RUNS = type("OffsetRuns");
  private static final Class<?> SHARE = type("Share");

  private final Object chunk;

  private OffsetChunks(String topicId, String targetId) throws ReflectiveOperationException {
    Object share =
        open(SHARE.getDeclaredConstructors()[0])
            .newInstance("t.x", 3, "A.t.x", "A.t.x", topicId, targetId, Long.MAX_VALUE);
    chunk = open(CHUNK.getDeclaredConstructor(SHARE)).newInstance(share);
  }

  public static void main(String[] args) throws Exception {
    var chunks = new OffsetChunks(args[0], args[1]);
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      chunks.obey(line.split(" "));
    }
  }

  /** {@code begin OFFSET}, {@code take}, or {@code commit NEXT SENT ACKNOWLEDGED}. */
  private void obey(String[] words) throws ReflectiveOperationException {
    switch (words[0]) {
      case "begin" -> call(CHUNK, chunk, "begin", Long.parseLong(words[1]));
      case "take" -> ((List<?>) call(CHUNK, chunk, "take")).forEach(OffsetChunks::print);
      default -> {
        Object runs = open(RUNS.getDeclaredConstructor()).newInstance();
        tell(runs, "sent", words[2]);
        tell(runs, "acknowledged", words[3]);
        call(CHUNK, chunk, "add", runs, Long.parseLong(words[1]));
      }
    }
  }

  /** {@code OFFSET:COUNT,OFFSET:COUNT}. */
  private static void tell(Object runs, String method, String all) throws ReflectiveOperationException {
    for (String each : all.split(",")) {
      String[] run = each.split(":");
      call(RUNS, runs, method, Long.parseLong(run[0]), Long.parseLong(run[1]));
    }
  }

  private static void print(Object written) {
    try {
      System.out.println(hex(written, "key") + " " + hex(written, "value"));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String hex(Object written, String part) throws ReflectiveOperationException {
    return HexFormat.of().formatHex((byte[]) call(written.getClass(), written, part));
  }

  private static Object call(Class<?> type, Object on, String name, Object... arguments)
      throws ReflectiveOperationException {
    for (Method method : type.getDeclaredMethods()) {
      if (method.getName().equals(name)
          && method.getParameterCount() == arguments.length
          && !Modifier.isPrivate(method.getModifiers())) {
        method.setAccessible(true);
        return method.invoke(on, arguments);
      }
    }
    throw new NoSuchMethodException(name);
  }

  private static Constructor<?> open(Constructor<?> constructor) {
    constructor.setAccessible(true);
    return constructor;
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName("io.kmirror." + name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
