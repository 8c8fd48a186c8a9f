package io.kmirror;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which extensions a session finds. */
final class SessionsTest {
  private static final String EXTENSIONS = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider";
  private static final String OTHER = "META-INF/services/other";

  @TempDir Path folder;

  private URL jar(String name) throws IOException {
    Path jar = folder.resolve(name);
    for (String service : List.of(EXTENSIONS, OTHER)) {
      Files.createDirectories(jar.resolve(service).getParent());
      Files.writeString(jar.resolve(service), name);
    }
    return jar.toUri().toURL();
  }

  private static List<String> named(ClassLoader loader, String service) throws IOException {
    return Collections.list(loader.getResources(service)).stream()
        .map(url -> url.getPath().replaceAll(".*/(.*)/META-INF/.*", "$1"))
        .toList();
  }

  /** An operator's stay, and MLlib's other services. */
  @Test
  void onlyMllibsIsMissing() throws IOException {
    String mllib = "spark-mllib_2.13-4.3.0.jar";
    String own = "own.jar";
    try (var jars = new URLClassLoader(new URL[] {jar(mllib), jar(own)}, null)) {
      ClassLoader without = new Sessions.WithoutMllib(jars);
      assertEquals(List.of(own), named(without, EXTENSIONS));
      assertEquals(List.of(mllib, own), named(without, OTHER));
    }
  }
}
