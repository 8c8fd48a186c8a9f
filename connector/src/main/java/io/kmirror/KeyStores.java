package io.kmirror;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Prints what a key store holds as PEM, for clients that read nothing else.
 *
 * <p>The argument says what is wanted: {@code trusted}, the certificates that count as trusted, or {@code
 * own}, the private key with its certificates. Standard input has four lines, {@code =} and Base64, or
 * nothing for what is not given: file, type, password, the key's password. So no secret is an argument or
 * in a file. What is wrong is one line on standard error, a code of {@link Problem} and what else is known;
 * {@code kmirror/jvm/key_stores.py} has the texts.
 */
public final class KeyStores {
  private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

  private enum Problem {
    NO_SUCH_FILE,
    ACCESS_DENIED,
    WRONG_PASSWORD,
    NO_CERTIFICATE,
    NOT_ONE_KEY,
    NO_KEY_PASSWORD,
    WRONG_KEY_PASSWORD,
    UNREADABLE;

    String line(String detail) {
      return (name().toLowerCase(Locale.ROOT) + " " + detail).replaceAll("\\s+", " ").strip();
    }
  }

  /** Its message is the line. */
  private static final class Refused extends GeneralSecurityException {
    private static final long serialVersionUID = 1L;

    Refused(Problem problem, String detail) {
      super(problem.line(detail));
    }
  }

  private KeyStores() {}

  /** Prints one store; exit code 1 when it cannot be read. */
  public static void main(String[] arguments) {
    try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
      String file = text(in.readLine());
      String type = text(in.readLine());
      char[] password = characters(text(in.readLine()));
      char[] ofKey = characters(text(in.readLine()));
      KeyStore store = opened(Path.of(file), type, password);
      boolean trusted = arguments[0].equals("trusted");
      System.out.print(trusted ? trusted(store) : own(store, ofKey == null ? password : ofKey));
    } catch (IOException | GeneralSecurityException problem) {
      System.err.println(line(problem));
      System.exit(1);
    }
  }

  private static KeyStore opened(Path file, String type, char[] password)
      throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(type);
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, password);
    }
    return store;
  }

  /** As Java's trust managers see it: what stands for itself, and the first certificate of each key. */
  private static String trusted(KeyStore store) throws GeneralSecurityException {
    StringBuilder pem = new StringBuilder();
    for (String alias : Collections.list(store.aliases())) {
      Certificate certificate = store.getCertificate(alias);
      if (certificate != null) {
        append(pem, "CERTIFICATE", certificate.getEncoded());
      }
    }
    if (pem.isEmpty()) {
      // PKCS12 encrypts certificates, and Java leaves out what it cannot decrypt.
      throw new Refused(Problem.NO_CERTIFICATE, "");
    }
    return pem.toString();
  }

  private static String own(KeyStore store, char[] password) throws GeneralSecurityException {
    List<String> keys = new ArrayList<>();
    for (String alias : Collections.list(store.aliases())) {
      if (store.entryInstanceOf(alias, KeyStore.PrivateKeyEntry.class)) {
        keys.add(alias);
      }
    }
    if (keys.size() != 1) {
      throw new Refused(Problem.NOT_ONE_KEY, String.valueOf(keys.size()));
    }
    StringBuilder pem = new StringBuilder();
    append(pem, "PRIVATE KEY", privateKey(store, keys.get(0), password).getEncoded());
    for (Certificate certificate : store.getCertificateChain(keys.get(0))) {
      append(pem, "CERTIFICATE", certificate.getEncoded());
    }
    return pem.toString();
  }

  private static Key privateKey(KeyStore store, String alias, char[] password)
      throws GeneralSecurityException {
    if (password == null) {
      throw new Refused(Problem.NO_KEY_PASSWORD, "");
    }
    try {
      return store.getKey(alias, password);
    } catch (UnrecoverableKeyException wrong) {
      throw new Refused(Problem.WRONG_KEY_PASSWORD, "");
    }
  }

  private static void append(StringBuilder pem, String what, byte[] content) {
    pem.append("-----BEGIN ").append(what).append("-----\n");
    pem.append(LINES.encodeToString(content));
    pem.append("\n-----END ").append(what).append("-----\n");
  }

  private static String line(Exception problem) {
    if (problem instanceof Refused) {
      return problem.getMessage();
    }
    if (problem instanceof NoSuchFileException) {
      return Problem.NO_SUCH_FILE.line("");
    }
    if (problem instanceof AccessDeniedException) {
      return Problem.ACCESS_DENIED.line("");
    }
    if (problem.getCause() instanceof UnrecoverableKeyException && problem instanceof IOException) {
      return Problem.WRONG_PASSWORD.line("");
    }
    return Problem.UNREADABLE.line(String.valueOf(problem.getMessage()));
  }

  private static String text(String line) {
    boolean given = line != null && !line.isEmpty();
    return given ? new String(Base64.getDecoder().decode(line.substring(1)), StandardCharsets.UTF_8) : null;
  }

  private static char[] characters(String text) {
    return text == null ? null : text.toCharArray();
  }
}
