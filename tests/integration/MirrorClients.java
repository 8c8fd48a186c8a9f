import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.mirror.MirrorClient;
import org.apache.kafka.connect.mirror.RemoteClusterUtils;

/** What MirrorMaker 2's own client library reads on a cluster, one answer a line. */
class MirrorClients {
  public static void main(String[] arguments) throws Exception {
    Map<String, Object> properties = Map.of("bootstrap.servers", arguments[0]);
    String alias = arguments[1];
    try (MirrorClient client = new MirrorClient(properties)) {
      System.out.println("hops " + client.replicationHops(alias));
      System.out.println("upstream " + String.join(",", new TreeSet<>(client.upstreamClusters())));
      System.out.println("heartbeats " + String.join(",", new TreeSet<>(client.heartbeatTopics())));
      System.out.println("remote " + String.join(",", new TreeSet<>(client.remoteTopics())));
    }
    for (int i = 2; i < arguments.length; i++) {
      Map<TopicPartition, OffsetAndMetadata> offsets =
          RemoteClusterUtils.translateOffsets(properties, alias, arguments[i], Duration.ofSeconds(30));
      Map<String, OffsetAndMetadata> sorted = new TreeMap<>();
      offsets.forEach((partition, at) -> sorted.put(partition.toString(), at));
      sorted.forEach((partition, at) -> System.out.println(partition + " " + at.offset() + " " + at.metadata()));
    }
  }
}
