#!/bin/bash
# mirrors the orders of the main cluster
export KAFKA_HEAP_OPTS="-Xmx1G -Xms1G"
exec "$KAFKA_HOME"/bin/kafka-mirror-maker.sh \
  --consumer.config config/consumer.properties \
  --producer.config config/producer.properties \
  --num.streams 4 --new.consumer \
  --offset.commit.interval.ms=30000 \
  --abort.on.send.failure true \
  --whitelist "orders.*, payments" >> mirror.log 2>&1 &
