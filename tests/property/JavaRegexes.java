import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** What Java says: for each line (pattern, names; in Base64) `-` if refused, or 0 and 1 by name. */
final class JavaRegexes {
    private JavaRegexes() {}

    public static void main(String[] arguments) throws IOException {
        StringBuilder out = new StringBuilder();
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(",", -1);
                out.append(answers(words)).append('\n');
            }
        }
        System.out.print(out);
    }

    private static String answers(String[] words) {
        try {
            Pattern pattern = Pattern.compile(text(words[0]));
            StringBuilder found = new StringBuilder();
            for (int i = 1; i < words.length; i++) {
                found.append(pattern.matcher(text(words[i])).matches() ? '1' : '0');
            }
            return found.toString();
        } catch (PatternSyntaxException | NullPointerException | ArrayIndexOutOfBoundsException none) {
            // Java itself stumbles over some classes with an && in them.
            return "-";
        }
    }

    private static String text(String word) {
        return new String(Base64.getDecoder().decode(word), StandardCharsets.UTF_8);
    }
}
