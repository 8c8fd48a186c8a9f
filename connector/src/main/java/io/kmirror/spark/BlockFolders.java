package io.kmirror.spark;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import org.apache.spark.SparkEnv;

/** The folders of this JVM where Spark puts blocks. */
final class BlockFolders {
  private BlockFolders() {}

  /** Makes those anew that somebody has cleaned away; Spark never would, and fails from then on. */
  static void restore() {
    try {
      for (File folder : SparkEnv.get().blockManager().diskBlockManager().localDirs()) {
        Files.createDirectories(folder.toPath());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
