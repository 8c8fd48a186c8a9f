import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * What RegexRouter makes of names: for each line (pattern, replacement, names; in Base64) the new
 * names in Base64, or `-` if Java refuses the pattern, `!` for a replacement that fails.
 */
final class JavaRoutes {
    private JavaRoutes() {}

    public static void main(String[] arguments) throws IOException {
        StringBuilder out = new StringBuilder();
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.append(answers(line.split(",", -1))).append('\n');
            }
        }
        System.out.print(out);
    }

    private static String answers(String[] words) {
        Pattern pattern;
        try {
            pattern = Pattern.compile(text(words[0]));
        } catch (PatternSyntaxException | NullPointerException | ArrayIndexOutOfBoundsException none) {
            return "-";
        }
        StringBuilder found = new StringBuilder();
        for (int i = 2; i < words.length; i++) {
            found.append(i > 2 ? "," : "").append(renamed(pattern, text(words[1]), text(words[i])));
        }
        return found.toString();
    }

    private static String renamed(Pattern pattern, String replacement, String name) {
        try {
            Matcher matcher = pattern.matcher(name);
            String made = matcher.matches() ? matcher.replaceFirst(replacement) : name;
            return Base64.getEncoder().encodeToString(made.getBytes(StandardCharsets.UTF_8));
        } catch (IllegalArgumentException | IndexOutOfBoundsException refused) {
            return "!";
        }
    }

    private static String text(String word) {
        return new String(Base64.getDecoder().decode(word), StandardCharsets.UTF_8);
    }
}
