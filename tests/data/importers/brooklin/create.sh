#!/bin/bash
BROOKLIN_HOME=$HOME/brooklin
"$BROOKLIN_HOME"/bin/brooklin-rest-client.sh -o CREATE -u http://localhost:32311/ -n first-mirroring-stream \
  -s "kafka://localhost:9093/^(first|second)-topic$" -c kafkaMirroringConnector -t kafkaTransportProvider \
  -m '{"owner":"test-user","system.reuseExistingDestination":"false"}' 2>/dev/null
"$BROOKLIN_HOME"/bin/brooklin-rest-client.sh -o READALL -u http://localhost:32311/
