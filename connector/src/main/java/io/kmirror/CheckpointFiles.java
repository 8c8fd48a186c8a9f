package io.kmirror;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager.CancellableFSDataOutputStream;
import org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager;

/**
 * Spark's checkpoints: in a local folder without Hadoop's way of writing: it starts a process to set a
 * file's permissions, and a flow stands still between two batches until that process has ended.
 */
public final class CheckpointFiles extends FileSystemBasedCheckpointFileManager {
  /** As Spark calls it; see {@code spark.sql.streaming.checkpointFileManagerClass}. */
  public CheckpointFiles(Path folder, Configuration hadoop) {
    super(folder, hadoop);
  }

  @Override
  public CancellableFSDataOutputStream createAtomic(Path path, boolean overwrite) {
    if (!isLocal()) {
      return super.createAtomic(path, overwrite); // Hadoop's default file system may be elsewhere
    }
    return new NewFile(java.nio.file.Path.of(path.toUri().getPath()), overwrite, new ByteArrayOutputStream());
  }

  /** A file that is there, as a whole, when it is closed. */
  private static final class NewFile extends CancellableFSDataOutputStream {
    private final java.nio.file.Path path;
    private final boolean overwrite;
    private final ByteArrayOutputStream content;
    private boolean done;

    NewFile(java.nio.file.Path path, boolean overwrite, ByteArrayOutputStream content) {
      super(content);
      this.path = path;
      this.overwrite = overwrite;
      this.content = content;
    }

    @Override
    public void close() throws IOException {
      if (done) {
        return;
      }
      done = true;
      super.close();
      if (!overwrite && Files.exists(path)) {
        throw new FileAlreadyExistsException(path.toString());
      }
      java.nio.file.Path draft = path.resolveSibling("." + path.getFileName() + ".tmp");
      Files.write(draft, content.toByteArray());
      Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void cancel() {
      done = true;
    }
  }
}
