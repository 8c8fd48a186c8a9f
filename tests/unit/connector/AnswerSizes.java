package io.kmirror.fetch;

import io.kmirror.tuning.Tuning;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/**
 * Each line of standard input is an answer: bytes, ms; or {@code failed}; or {@code share} and among how many
 * connections. Prints what is asked for after it.
 */
public final class AnswerSizes {
  private AnswerSizes() {}

  /**
   * @param args {@code fetch.max.bytes}, {@code request.timeout.ms}
   */
  public static void main(String[] args) throws IOException {
    AnswerSize size = new AnswerSize(
        Tuning.parsed(System.getProperty("kmirror.tuning")).fetch(), Integer.parseInt(args[0]), Integer.parseInt(args[1]));
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      if (line.equals("failed")) {
        size.failed();
      } else if (line.startsWith("share ")) {
        size.share(Integer.parseInt(line.substring("share ".length())));
      } else {
        String[] words = line.split(" ");
        size.came(Long.parseLong(words[0]), Long.parseLong(words[1]));
      }
      System.out.println(size.bytes());
    }
  }
}
