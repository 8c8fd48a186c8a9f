package org.apache.kafka.clients.consumer.internals;

import java.util.Map;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.DefaultHostResolver;
import org.apache.kafka.clients.MetadataRecoveryStrategy;
import org.apache.kafka.clients.NetworkClient;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.Selector;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/**
 * A consumer's network as {@code ConsumerUtils} makes it, except that answers lie in memory that is ours.
 */
final class FetchNetwork {
  private FetchNetwork() {}

  static ConsumerNetworkClient create(
      ConsumerConfig config,
      Metrics metrics,
      LogContext log,
      ApiVersions apiVersions,
      ConsumerMetadata metadata,
      Sensor throttleTime,
      MemoryPool answers,
      Time time) {
    int requestTimeoutMs = config.getInt(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG);
    Selector selector =
        new Selector(
            NetworkReceive.UNLIMITED,
            config.getLong(ConsumerConfig.CONNECTIONS_MAX_IDLE_MS_CONFIG),
            metrics,
            time,
            ConsumerUtils.CONSUMER_METRIC_GROUP_PREFIX,
            Map.of(),
            true,
            false,
            ClientUtils.createChannelBuilder(config, time, log),
            answers,
            log);
    NetworkClient client =
        new NetworkClient(
            null,
            metadata,
            selector,
            config.getString(ConsumerConfig.CLIENT_ID_CONFIG),
            ConsumerUtils.CONSUMER_MAX_INFLIGHT_REQUESTS_PER_CONNECTION,
            config.getLong(ConsumerConfig.RECONNECT_BACKOFF_MS_CONFIG),
            config.getLong(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG),
            config.getInt(ConsumerConfig.SEND_BUFFER_CONFIG),
            config.getInt(ConsumerConfig.RECEIVE_BUFFER_CONFIG),
            requestTimeoutMs,
            config.getLong(ConsumerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG),
            config.getLong(ConsumerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG),
            time,
            true,
            apiVersions,
            throttleTime,
            log,
            new DefaultHostResolver(),
            null,
            config.getLong(CommonClientConfigs.METADATA_RECOVERY_REBOOTSTRAP_TRIGGER_MS_CONFIG),
            MetadataRecoveryStrategy.forName(
                config.getString(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG)));
    return new ConsumerNetworkClient(
        log,
        client,
        metadata,
        time,
        config.getLong(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG),
        requestTimeoutMs,
        config.getInt(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG));
  }
}
