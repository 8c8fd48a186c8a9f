import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Writes one compressible record with every codec and reads all of them back. */
public final class Codecs {
  private static final List<String> NAMES = List.of("none", "gzip", "snappy", "lz4", "zstd");

  public static void main(String[] args) throws Exception {
    var to = Map.<String, Object>of("bootstrap.servers", args[0], "linger.ms", 0);
    for (String codec : NAMES) {
      var settings = new java.util.HashMap<>(to);
      settings.put("compression.type", codec);
      try (var producer =
          new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
        producer.send(new ProducerRecord<>(args[1], 0, null, codec.repeat(1000))).get();
      }
    }
    int found = 0;
    try (var consumer =
        new KafkaConsumer<>(to, new StringDeserializer(), new StringDeserializer())) {
      var place = new TopicPartition(args[1], 0);
      consumer.assign(List.of(place));
      consumer.seekToBeginning(List.of(place));
      long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
      while (found < NAMES.size() && System.nanoTime() < deadline) {
        for (var record : consumer.poll(Duration.ofSeconds(1))) {
          if (!record.value().equals(NAMES.get(found).repeat(1000))) {
            throw new IllegalStateException("record " + found + " differs");
          }
          found++;
        }
      }
    }
    System.out.println(found + " codecs");
  }
}
