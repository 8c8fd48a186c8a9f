package io.kmirror.stream;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/** How many records were left out, where MirrorMaker 1 shows it: monitoring that knows its name finds it. */
public interface DroppedMessages {
  String NAME = "kafka.tools:type=MirrorMaker,name=MirrorMaker-numDroppedMessages";

  long getValue();

  /** Shows it in this JVM. */
  static void show() {
    try {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      ObjectName name = new ObjectName(NAME);
      if (!server.isRegistered(name)) {
        DroppedMessages shown = RunningStreams::droppedRecords;
        server.registerMBean(new StandardMBean(shown, DroppedMessages.class), name);
      }
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }
}
