package io.fleetgauge.cluster.member;

import com.hazelcast.config.ClassFilter;
import com.hazelcast.config.Config;
import com.hazelcast.config.InterfacesConfig;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MultiMapConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.config.SocketInterceptorConfig;
import com.hazelcast.config.TcpIpConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.runtime.log.ProblemLog;
import io.fleetgauge.runtime.trust.ClusterKey;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the Hazelcast member of this process: its configuration and its port. */
final class Joining {
  private static final Logger LOG = LoggerFactory.getLogger(Joining.class);

  /** A process that may choose its port tries this many. */
  private static final int PORTS = 100;

  /**
   * Number of partitions of Hazelcast's data; all members must have as many. A few small maps need
   * no more.
   */
  static final int PARTITIONS = 31;

  private static final String VERTX_NODE_ID = "__vertx.nodeId";

  /** Packages of the failures that members send each other. */
  private static final String[] FAILURES = {"com.hazelcast.", "java.lang."};

  /** Other classes that a failure consists of. */
  private static final String[] FAILURE_PARTS = {
    "java.io.IOException",
    "java.util.concurrent.CancellationException",
    "java.util.concurrent.ExecutionException",
    "java.util.concurrent.TimeoutException",
    "java.util.Collections$EmptyList",
    "java.util.Collections$UnmodifiableCollection",
    "java.util.Collections$UnmodifiableList",
    "java.util.Collections$UnmodifiableRandomAccessList",
    "java.util.ArrayList",
    "[Ljava.lang.StackTraceElement;",
    "[Ljava.lang.Throwable;"
  };

  private Joining() {}

  /**
   * Starts a member; returns when it has joined, which takes seconds.
   *
   * @param members where other members may be, {@code host:port} each; asked again and again
   * @param isGateway a process that only reads holds no data
   * @throws IllegalStateException if it cannot join; the message is one line
   */
  static HazelcastInstance start(
      ClusterSettings settings,
      Supplier<List<String>> members,
      boolean isGateway,
      ClusterKey key,
      IgnoredEntries ignored) {
    // The other members look for gateways at the configured port; nobody looks for a reader.
    boolean mayChoose = !isGateway && !settings.isPortSet();
    int first = settings.port() == 0 ? anyFree(settings.host()) : settings.port();
    int last = mayChoose ? first + PORTS - 1 : first;
    for (int port = first; port <= last; port++) {
      if (!isFree(settings.host(), port)) {
        continue;
      }
      try {
        return start(settings, members, port, isGateway, new Connections(key, ignored));
      } catch (Refused e) {
        throw new IllegalStateException(
            "cannot join the cluster " + settings.name() + ": " + e.getMessage(), e);
      } catch (RuntimeException e) {
        if (!isBindFailure(e)) {
          throw new IllegalStateException(
              "cannot join the cluster "
                  + settings.name()
                  + " from "
                  + settings.host()
                  + ":"
                  + port
                  + ": "
                  + e,
              e);
        }
        // Another process took the port in between.
      }
    }
    throw new IllegalStateException(
        mayChoose
            ? "ports "
                + first
                + " to "
                + last
                + " on "
                + settings.host()
                + " are in use; choose one with cluster.port"
            : "port "
                + first
                + " on "
                + settings.host()
                + " is in use; choose another with cluster.port");
  }

  /** Found out before Hazelcast is started, which logs a stack trace for a port in use. */
  private static boolean isFree(String host, int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getByName(host), port), 1);
      return true;
    } catch (BindException e) {
      if (String.valueOf(e.getMessage()).contains("in use")) {
        return false;
      }
      throw new IllegalStateException(
          host + " is not an address of this machine; see cluster.host", e);
    } catch (IOException e) {
      throw new IllegalStateException(host + " cannot be listened on, see cluster.host: " + e, e);
    }
  }

  private static int anyFree(String host) {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException("no port on " + host + " can be used: " + e, e);
    }
  }

  private static boolean isBindFailure(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException
          || String.valueOf(cause.getMessage()).contains("Address already in use")
          || String.valueOf(cause.getMessage()).contains("is already in use")) {
        return true;
      }
    }
    return false;
  }

  private static HazelcastInstance start(
      ClusterSettings settings,
      Supplier<List<String>> members,
      int port,
      boolean isGateway,
      Connections connections) {
    HazelcastInstance started =
        HazelcastInstanceFactory.newHazelcastInstance(
            config(settings, members, port, isGateway), null, connections);
    Optional<String> refusal = connections.refusal();
    if (refusal.isPresent() && started.getCluster().getMembers().size() == 1) {
      started.shutdown();
      throw new Refused(refusal.get());
    }
    return started;
  }

  /** The members that answered do not accept this process. */
  private static final class Refused extends IllegalStateException {
    private static final long serialVersionUID = 1;

    Refused(String reason) {
      super(reason);
    }
  }

  private static Config config(
      ClusterSettings settings, Supplier<List<String>> members, int port, boolean isGateway) {
    Config config = new Config();
    config.setClusterName(settings.name());
    config.setLiteMember(!isGateway);
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    // Without a member that holds data, the last ones would wait ten minutes for one.
    config.setProperty("hazelcast.graceful.shutdown.max.wait", "10");
    config.setProperty("hazelcast.heartbeat.interval.seconds", "1");
    config.setProperty("hazelcast.max.no.heartbeat.seconds", "5");
    // A port that refuses connections is that of a dead process; only silence has to be waited out.
    config.setProperty("hazelcast.connection.monitor.interval", "50");
    config.setProperty("hazelcast.connection.monitor.max.faults", "2");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.merge.first.run.delay.seconds", "2");
    config.setProperty("hazelcast.merge.next.run.delay.seconds", "2");
    config.setProperty("hazelcast.socket.bind.any", "false");
    listenToMembersOnly(config, settings, members, port);
    harden(config);
    keepSmall(config);
    Registry.configure(config);
    configureEventBus(config);
    return config;
  }

  /**
   * Opens one port, on which members are answered and nobody else: with the advanced form of the
   * network's configuration, the protocols of clients, REST and memcache need ports of their own.
   */
  private static void listenToMembersOnly(
      Config config, ClusterSettings settings, Supplier<List<String>> members, int port) {
    ServerSocketEndpointConfig endpoint = new ServerSocketEndpointConfig();
    endpoint
        .setPort(port)
        .setPortAutoIncrement(false)
        .setPublicAddress(settings.host() + ":" + port)
        .setInterfaces(new InterfacesConfig().setEnabled(true).addInterface(settings.host()))
        .setSocketInterceptorConfig(new SocketInterceptorConfig().setEnabled(true));
    config.getAdvancedNetworkConfig().setEnabled(true).setMemberEndpointConfig(endpoint);
    JoinConfig join = config.getAdvancedNetworkConfig().getJoin();
    join.getMulticastConfig().setEnabled(false);
    join.getAutoDetectionConfig().setEnabled(false);
    join.setTcpIpConfig(new CurrentMembers(members));
  }

  /**
   * Where other members may be. Hazelcast asks when it joins, and every two seconds later to find
   * other parts of the cluster, with which it merges. Names are resolved here: Hazelcast leaves out
   * those that do not stand for the address that it listens on.
   */
  private static final class CurrentMembers extends TcpIpConfig {
    private final Supplier<List<String>> members;
    private final ProblemLog problems = new ProblemLog(LOG::warn, LOG::info);

    CurrentMembers(Supplier<List<String>> members) {
      this.members = members;
      setEnabled(true);
    }

    @Override
    public List<String> getMembers() {
      List<String> addresses = new ArrayList<>();
      List<String> unknown = new ArrayList<>();
      for (String member : members.get()) {
        int colon = member.lastIndexOf(':');
        try {
          String host = member.substring(0, colon).replaceAll("[\\[\\]]", "");
          for (InetAddress address : InetAddress.getAllByName(host)) {
            addresses.add(written(address) + member.substring(colon));
          }
        } catch (UnknownHostException e) {
          unknown.add(member);
        }
      }
      synchronized (problems) {
        problems.update(
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
            unknown.isEmpty()
                ? Optional.empty()
                : Optional.of("names of members cannot be resolved: " + unknown));
      }
      return addresses;
    }

    private static String written(InetAddress address) {
      return address instanceof Inet6Address
          ? "[" + address.getHostAddress() + "]"
          : address.getHostAddress();
    }
  }

  /** Turns off what this cluster does not use and another member could. */
  private static void harden(Config config) {
    config.getJetConfig().setEnabled(false);
    config
        .getManagementCenterConfig()
        .setScriptingEnabled(false)
        .setConsoleEnabled(false)
        .setDataAccessEnabled(false);
    config.setProperty("hazelcast.diagnostics.enabled", "false");
    config.setProperty("hazelcast.jmx", "false");
    config.getMetricsConfig().setEnabled(false);
    // Entries are bytes and strings, which need no Java serialization. Hazelcast sends the failures
    // of its operations in that form, and nothing else.
    ClassFilter failures = new ClassFilter().addClasses(FAILURE_PARTS).addPrefixes(FAILURES);
    config
        .getSerializationConfig()
        .setJavaSerializationFilterConfig(
            new JavaSerializationFilterConfig().setDefaultsDisabled(true).setWhitelist(failures));
  }

  /** The maps are few and small: what serves many large ones would only cost. */
  private static void keepSmall(Config config) {
    config.setProperty("hazelcast.partition.count", Integer.toString(PARTITIONS));
    config.setProperty("hazelcast.operation.thread.count", "1");
    config.setProperty("hazelcast.operation.response.thread.count", "1");
    config.setProperty("hazelcast.io.thread.count", "1");
    config.setProperty("hazelcast.event.thread.count", "1");
    config.setProperty("hazelcast.health.monitoring.level", "OFF");
  }

  /** Adds what the cluster manager of Vert.x needs, because the event bus uses the same member. */
  private static void configureEventBus(Config config) {
    config.getMemberAttributeConfig().setAttribute(VERTX_NODE_ID, UUID.randomUUID().toString());
    config.addMultiMapConfig(
        new MultiMapConfig("__vertx.subs")
            .setBackupCount(1)
            .setValueCollectionType(MultiMapConfig.ValueCollectionType.SET));
    for (String map : List.of("__vertx.haInfo", "__vertx.nodeInfo")) {
      config.addMapConfig(new MapConfig(map).setBackupCount(1));
    }
  }
}
