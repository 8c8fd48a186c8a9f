package io.kmirror;

import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/**
 * Sessions of Spark without MLlib's extension. Whoever makes a session has each extension that a jar on the class
 * path names as a service, and MLlib's, two functions of vectors, starts Scala's reflection, and reads Spark's
 * messages to throw an exception that it catches: that takes as long as the rest of the session.
 */
public final class Sessions {
  private static final String EXTENSIONS = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider";
  private static final String MLLIB = "/spark-mllib_";

  private Sessions() {}

  /** Sessions that this thread makes from now on do without. */
  public static void withoutMllib() {
    Thread thread = Thread.currentThread();
    thread.setContextClassLoader(new WithoutMllib(thread.getContextClassLoader()));
  }

  /** Has what its parent has, but for that extension's name. */
  static final class WithoutMllib extends ClassLoader {
    WithoutMllib(ClassLoader parent) {
      super(parent);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
      List<URL> found = Collections.list(super.getResources(name));
      found.removeIf(url -> name.equals(EXTENSIONS) && url.getPath().contains(MLLIB));
      return Collections.enumeration(found);
    }
  }
}
