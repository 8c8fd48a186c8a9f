#!/bin/sh
# What a container of the image runs:
#
#     run FILE, status FILE, …   kmirror, with these arguments
#     executor                   an executor; so Spark starts the pods that it makes on Kubernetes
#     spark-master ARGUMENTS     the master of a standalone cluster
#     spark-worker ARGUMENTS     a worker of it
#
# SPARK_DAEMON_JAVA_OPTS has more options for master and worker, such as -Dspark.authenticate=true.
set -eu

case "${1:-}" in
executor | spark-master | spark-worker) ;;
*) exec kmirror "$@" ;;
esac

role=$1
shift
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
SPARK_HOME=${SPARK_HOME:-$(python3 -c 'import importlib.util as u; print(*u.find_spec("pyspark").submodule_search_locations)')}
SPARK_SCALA_VERSION=2.13
export SPARK_HOME SPARK_SCALA_VERSION
classes="${SPARK_CONF_DIR:+$SPARK_CONF_DIR:}${SPARK_CLASSPATH:+$SPARK_CLASSPATH:}$SPARK_HOME/jars/*"

case $role in
executor)
    # The driver says everything by variables; each option is one, since options may hold blanks.
    set --
    number=0
    while eval "[ -n \"\${SPARK_JAVA_OPT_$number+is set}\" ]"; do
        eval "set -- \"\$@\" \"\$SPARK_JAVA_OPT_$number\""
        number=$((number + 1))
    done
    exec "$java" "$@" "-Xms$SPARK_EXECUTOR_MEMORY" "-Xmx$SPARK_EXECUTOR_MEMORY" -cp "$classes" \
        org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend \
        --driver-url "$SPARK_DRIVER_URL" \
        --executor-id "$SPARK_EXECUTOR_ID" \
        --cores "$SPARK_EXECUTOR_CORES" \
        --app-id "$SPARK_APPLICATION_ID" \
        --hostname "$SPARK_EXECUTOR_POD_IP" \
        --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID" \
        --podName "$SPARK_EXECUTOR_POD_NAME"
    ;;
spark-master) class=org.apache.spark.deploy.master.Master ;;
spark-worker) class=org.apache.spark.deploy.worker.Worker ;;
esac

# Several words, on purpose.
# shellcheck disable=SC2086
exec "$java" -Xmx512m ${SPARK_DAEMON_JAVA_OPTS:-} -cp "$classes" "$class" "$@"
