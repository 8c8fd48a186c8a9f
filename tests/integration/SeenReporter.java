package example;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;

/** An operator's own class: writes down which clients have made one. */
public final class SeenReporter implements MetricsReporter {
  @Override
  public void configure(Map<String, ?> settings) {
    Path file = Path.of(System.getenv("SEEN_REPORTER_FILE"));
    String kind = settings.containsKey("acks") ? "producer" : "other";
    try {
      Files.writeString(file, kind + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void init(List<KafkaMetric> metrics) {}

  @Override
  public void metricChange(KafkaMetric metric) {}

  @Override
  public void metricRemoval(KafkaMetric metric) {}

  @Override
  public void close() {}
}
