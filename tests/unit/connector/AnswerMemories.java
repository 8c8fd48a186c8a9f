package io.kmirror.fetch;

import io.kmirror.tuning.Tuning;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Each line of standard input takes memory for an answer ("take", bytes), or gives back what a line took
 * ("give", the line's number among those that took). Prints for each that takes: how many bytes it can hold, and which of
 * the arrays seen so far it lies in.
 */
public final class AnswerMemories {
  private AnswerMemories() {}

  /**
   * @param args how much is kept, in bytes
   */
  public static void main(String[] args) throws IOException {
    AnswerMemory memory = new AnswerMemory(
        Tuning.parsed(System.getProperty("kmirror.tuning")).fetch().pooledAnswerBytes(), Long.parseLong(args[0]));
    List<ByteBuffer> taken = new ArrayList<>();
    List<byte[]> seen = new ArrayList<>();
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ");
      int number = Integer.parseInt(words[1]);
      if (words[0].equals("give")) {
        memory.release(taken.get(number).array());
        continue;
      }
      ByteBuffer bytes = memory.tryAllocate(number);
      taken.add(bytes);
      if (seen.stream().noneMatch(each -> each == bytes.array())) {
        seen.add(bytes.array());
      }
      int which = 0;
      while (seen.get(which) != bytes.array()) {
        which++;
      }
      System.out.println(bytes.remaining() + " " + bytes.capacity() + " " + which);
    }
  }
}
