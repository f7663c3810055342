package io.fleetgauge.cluster.member;

import static org.awaitility.Awaitility.await;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.SocketInterceptorConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import io.fleetgauge.runtime.trust.ClusterKey;
import java.time.Duration;

/** A member of Hazelcast that is no process of Fleetgauge. */
final class ForeignMember {
  private ForeignMember() {}

  /** How one is configured that knows the cluster's name and an address. */
  static Config config(String cluster, int port) {
    Config config = new Config().setClusterName(cluster);
    config.setProperty("hazelcast.phone.home.enabled", "false");
    // One with another number would be refused for that.
    config.setProperty("hazelcast.partition.count", Integer.toString(Joining.PARTITIONS));
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.getNetworkConfig().setPort(port + 1).setPublicAddress("127.0.0.1");
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).addMember("127.0.0.1:" + port);
    return config;
  }

  /** One that is let in, because it proves what a process of the cluster proves. */
  static HazelcastInstance join(String cluster, int port, ClusterKey key) {
    Config config = config(cluster, port);
    config
        .getNetworkConfig()
        .setSocketInterceptorConfig(new SocketInterceptorConfig().setEnabled(true));
    HazelcastInstance member =
        HazelcastInstanceFactory.newHazelcastInstance(
            config, null, new Connections(key, new IgnoredEntries()));
    await()
        .atMost(Duration.ofMinutes(10))
        .until(() -> member.getCluster().getMembers().size() == 2);
    return member;
  }
}
