package io.kmirror.offsets;

import io.kmirror.tuning.Tuning;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.HexFormat;
import java.util.function.BiConsumer;

/** Collects the transactions that standard input tells of, and prints the chunks made of them. */
public final class OffsetChunks {
  private final OffsetChunk chunk;

  private OffsetChunks(String topicId, String targetId) {
    chunk = new OffsetChunk("t.x", 3, topicId, targetId, Tuning.parsed(System.getProperty("kmirror.tuning")).offsets());
  }

  public static void main(String[] args) throws IOException {
    var chunks = new OffsetChunks(args[0], args[1]);
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      chunks.obey(line.split(" "));
    }
  }

  /** {@code begin OFFSET}, {@code take}, or {@code commit NEXT SENT ACKNOWLEDGED}. */
  private void obey(String[] words) {
    switch (words[0]) {
      case "begin" -> chunk.begin(Long.parseLong(words[1]));
      case "take" -> chunk.take().forEach(OffsetChunks::print);
      default -> {
        var runs = new OffsetRuns();
        tell(words[2], runs::sent);
        tell(words[3], runs::acknowledged);
        chunk.add(runs, Long.parseLong(words[1]));
      }
    }
  }

  /** {@code OFFSET:COUNT,OFFSET:COUNT}. */
  private static void tell(String all, BiConsumer<Long, Long> taker) {
    for (String each : all.split(",")) {
      String[] run = each.split(":");
      taker.accept(Long.parseLong(run[0]), Long.parseLong(run[1]));
    }
  }

  private static void print(OffsetChunk.Written written) {
    System.out.println(hex(written.key()) + " " + hex(written.value()));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
