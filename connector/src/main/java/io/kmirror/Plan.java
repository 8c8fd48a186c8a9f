package io.kmirror;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/** The plan file, written by Python (kmirror/pipeline/plan_file.py), read at the start of each batch. */
final class Plan {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final JsonNode root;

  private Plan(JsonNode root) {
    this.root = root;
  }

  static Plan read(Path file) {
    try {
      return new Plan(JSON.readTree(file.toFile()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Slot[] slots(long epoch) {
    Settings settings = settings();
    if (Desk.stopping(settings.flow(), settings.generation())) {
      return new Slot[0];
    }
    JsonNode all = root.required("slots");
    Slot[] slots = new Slot[all.size()];
    for (int i = 0; i < slots.length; i++) {
      List<Share> shares = new ArrayList<>();
      all.get(i).forEach(share -> shares.add(share(share)));
      String location = Desk.location(settings.flow(), i);
      slots[i] = new Slot(settings, i, root.required("version").asLong(), epoch, shares, location);
    }
    return slots;
  }

  boolean wholeBatches() {
    return root.required("whole_batches").asBoolean();
  }

  private Settings settings() {
    return new Settings(
        root.required("flow").asText(),
        root.required("generation").asLong(),
        root.required("driver").asText(),
        root.required("group").asText(),
        root.required("owner_topic").asText(),
        root.required("offset_map_topic").asText(),
        root.required("transactional_id").asText(),
        wholeBatches(),
        root.required("exactly_once").asBoolean(),
        root.required("commit_interval_ms").asLong(),
        root.required("commit_bytes_max").asLong(),
        root.required("connections_max").asInt(),
        properties("consumer"),
        properties("producer"),
        properties("admin"));
  }

  private static Share share(JsonNode share) {
    return new Share(
        share.required("topic").asText(),
        share.required("partition").asInt(),
        share.required("target").asText(),
        share.required("position").asText(),
        share.required("topic_id").asText(),
        share.required("target_id").asText(),
        share.required("until").isNull() ? Long.MAX_VALUE : share.required("until").asLong());
  }

  private HashMap<String, String> properties(String client) {
    HashMap<String, String> properties = new HashMap<>();
    root.required(client).properties().forEach(e -> properties.put(e.getKey(), e.getValue().asText()));
    return properties;
  }
}
