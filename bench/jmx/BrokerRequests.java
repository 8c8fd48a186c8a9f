import com.sun.tools.attach.VirtualMachine;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Prints how many requests brokers have got since their start, a line for each kind and version:
 * {@code Fetch 1234}. The arguments are the numbers of their processes.
 */
public final class BrokerRequests {
  private static final String COUNTERS =
      "kafka.network:type=RequestMetrics,name=RequestsPerSec,*";

  private BrokerRequests() {}

  public static void main(String[] pids) throws Exception {
    for (String pid : pids) {
      VirtualMachine broker = VirtualMachine.attach(pid);
      try {
        print(broker.startLocalManagementAgent());
      } finally {
        broker.detach();
      }
    }
  }

  private static void print(String address) throws Exception {
    try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
      MBeanServerConnection beans = connector.getMBeanServerConnection();
      for (ObjectName name : beans.queryNames(new ObjectName(COUNTERS), null)) {
        System.out.println(name.getKeyProperty("request") + " " + beans.getAttribute(name, "Count"));
      }
    }
  }
}
