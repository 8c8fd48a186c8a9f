package io.kmirror;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.network.ConnectionMode;
import org.apache.kafka.common.security.JaasContext;
import org.apache.kafka.common.security.ssl.SslFactory;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;

/**
 * What a client of Kafka would say to its settings, without a client and without a connection: classes
 * that are not there, key stores that cannot be opened, logins that cannot be read. {@code
 * kmirror/pipeline/client_check.py} knows the texts.
 */
public final class ClientCheck {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Lists of classes, which a {@code ConfigDef} takes for any texts. */
  private static final List<String> CLASS_LISTS =
      List.of(
          ProducerConfig.INTERCEPTOR_CLASSES_CONFIG,
          CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG,
          ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);

  private enum Problem {
    /** In Kafka's own words. */
    SAID,
    NO_CLASS,
    NO_LOGIN
  }

  private final ArrayNode problems = JSON.createArrayNode();

  private ClientCheck() {}

  /**
   * Looks at the settings of one client.
   *
   * @param role {@code producer}, {@code consumer} or {@code admin}
   * @param properties Java client properties, as a JSON object
   * @return a JSON array of {@code [setting, code of what is wrong, its detail]}
   */
  public static String problems(String role, String properties) throws JsonProcessingException {
    Map<String, String> given = new HashMap<>();
    JSON.readTree(properties).properties().forEach(e -> given.put(e.getKey(), e.getValue().asText()));
    ClientCheck check = new ClientCheck();
    check.look(role, given);
    return check.problems.toString();
  }

  private void look(String role, Map<String, String> given) {
    ConfigDef definition =
        switch (role) {
          case "producer" -> ProducerConfig.configDef();
          case "consumer" -> ConsumerConfig.configDef();
          default -> AdminClientConfig.configDef();
        };
    if (role.equals("producer")) {
      given.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
      given.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    } else if (role.equals("consumer")) {
      given.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
      given.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
    }
    for (ConfigValue value : definition.validate(given)) {
      value.errorMessages().forEach(message -> add(value.name(), Problem.SAID, withoutValue(message)));
    }
    for (String list : CLASS_LISTS) {
      String names = given.getOrDefault(list, "");
      Stream.of(names.split("\\s*,\\s*")).filter(n -> !n.isEmpty()).forEach(n -> load(list, n));
    }
    if (!problems.isEmpty()) {
      return;
    }
    Map<String, Object> values = new HashMap<>(given);
    try {
      together(
          switch (role) {
            case "producer" -> new ProducerConfig(values);
            case "consumer" -> new ConsumerConfig(values);
            default -> new AdminClientConfig(values);
          });
    } catch (ConfigException e) {
      add("", Problem.SAID, e.getMessage());
    }
  }

  private void together(AbstractConfig config) {
    String protocol = config.getString(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG);
    protocol = protocol.toUpperCase(Locale.ROOT);
    if (protocol.endsWith("SSL")) {
      tls(config);
    }
    if (protocol.startsWith("SASL")) {
      login(config);
    }
  }

  private void tls(AbstractConfig config) {
    try (SslFactory factory = new SslFactory(ConnectionMode.CLIENT)) {
      factory.configure(config.values());
    } catch (KafkaException e) {
      String words = cause(e);
      Object trusted = config.values().get(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG);
      boolean ofTrust = trusted != null && words.contains(trusted.toString());
      add(
          ofTrust
              ? SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG
              : SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG,
          Problem.SAID,
          words);
    }
  }

  private void login(AbstractConfig config) {
    try {
      JaasContext context = JaasContext.loadClientContext(config.values());
      for (AppConfigurationEntry module : context.configurationEntries()) {
        load(SaslConfigs.SASL_JAAS_CONFIG, module.getLoginModuleName());
      }
    } catch (IllegalArgumentException | KafkaException e) {
      // Its words may be a part of the password.
      add(SaslConfigs.SASL_JAAS_CONFIG, Problem.NO_LOGIN, e.getClass().getSimpleName());
    }
  }

  private void load(String setting, String name) {
    try {
      Class.forName(name, false, Utils.getContextOrKafkaClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      add(setting, Problem.NO_CLASS, name);
    }
  }

  private void add(String setting, Problem problem, String detail) {
    problems.addArray().add(setting).add(problem.name().toLowerCase(Locale.ROOT)).add(detail);
  }

  /** {@code Invalid value x for configuration y: why}: the value is shown elsewhere, or hidden. */
  private static String withoutValue(String message) {
    int why = message.lastIndexOf(": ");
    return message.startsWith("Invalid value") && why > 0 ? message.substring(why + 2) : message;
  }

  private static String cause(Throwable error) {
    Throwable deepest = error;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    return deepest == error ? error.getMessage() : error.getMessage() + ": " + deepest;
  }
}
