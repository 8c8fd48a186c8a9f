package io.kmirror.fetch;

import io.kmirror.tuning.Tuning;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;

/**
 * Each line of standard input is a full answer: bytes, its latency in ms, how many ms the lane waited, and how many
 * partitions are read then. Prints whether the number of connections changes, and the broker's ids under which the
 * partitions are asked for afterwards.
 */
public final class FetchConnectionsOf {
  private FetchConnectionsOf() {}

  /**
   * @param args the most connections, the broker's id
   */
  public static void main(String[] args) throws IOException {
    FetchConnections connections = new FetchConnections(
        Tuning.parsed(System.getProperty("kmirror.tuning")).fetch(), Integer.parseInt(args[0]));
    Node broker = new Node(Integer.parseInt(args[1]), "broker", 9092);
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ");
      int partitions = Integer.parseInt(words[3]);
      connections.came(Long.parseLong(words[0]), Long.parseLong(words[1]));
      connections.waited(TimeUnit.MILLISECONDS.toNanos(Long.parseLong(words[2])));
      boolean changes = connections.change(partitions);
      if (changes) {
        connections.changed(partitions);
      }
      System.out.println(changes + " " + ids(connections, broker, partitions));
    }
  }

  private static String ids(FetchConnections connections, Node broker, int partitions) {
    return IntStream.range(0, partitions)
        .mapToObj(at -> connections.node(broker, new TopicPartition("topic", at)))
        .map(node -> node.host().equals("broker") && node.port() == 9092 ? node.idString() : "elsewhere")
        .collect(Collectors.joining(" "));
  }
}
