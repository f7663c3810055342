package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.relabel.Relabelling;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Settings of asking the kubelet which pods have which GPUs.
 *
 * @param enabled {@code attribution.kubelet.enabled}
 * @param socket {@code attribution.kubelet.socket}
 * @param every {@code attribution.kubelet.every}
 * @param timeout {@code attribution.kubelet.timeout}
 * @param keep {@code attribution.kubelet.keep}
 * @param maxAnswer {@code attribution.kubelet.maxAnswer}, bytes
 * @param resources {@code attribution.kubelet.resources}
 * @param drivers {@code attribution.kubelet.drivers}
 * @param relabelling {@code attribution.kubelet.relabel}
 * @param podLogs {@code attribution.kubelet.podLogs}
 */
public record KubeletSettings(
    boolean enabled,
    Path socket,
    Duration every,
    Duration timeout,
    Duration keep,
    int maxAnswer,
    List<String> resources,
    List<String> drivers,
    Relabelling relabelling,
    Path podLogs) {
  /** The extended resources that are GPUs by default. */
  public static final List<String> GPU_RESOURCES =
      List.of("nvidia\\.com/gpu(\\.shared)?", "nvidia\\.com/mig-.+");

  private static final String SECTION = "attribution.kubelet.";

  private static final Key<Boolean> ENABLED =
      Key.of(
          SECTION + "enabled",
          KeyType.flag(),
          true,
          "Whether the kubelet is queried for the pods that have GPUs, on nodes where the"
              + " folder of its socket exists.");
  private static final Key<Path> SOCKET =
      Key.of(
          SECTION + "socket",
          KeyType.path(),
          Path.of("/var/lib/kubelet/pod-resources/kubelet.sock"),
          "Socket of the kubelet's pod-resources API. In a container, mount its folder: the kubelet"
              + " makes a new socket when it starts.");
  private static final Key<Duration> EVERY =
      Key.of(
          SECTION + "every",
          KeyType.duration(Duration.ofSeconds(1), Duration.ofMinutes(10)),
          Duration.ofSeconds(10),
          "Interval between queries of the kubelet.");
  private static final Key<Duration> TIMEOUT =
      Key.of(
          SECTION + "timeout",
          KeyType.duration(Duration.ofMillis(100), Duration.ofMinutes(1)),
          Duration.ofSeconds(5),
          "Timeout of a query of the kubelet.");
  private static final Key<Duration> KEEP =
      Key.of(
          SECTION + "keep",
          KeyType.duration(Duration.ZERO, Duration.ofHours(1)),
          Duration.ofMinutes(1),
          "How long the last response is used while the kubelet does not respond, but at least"
              + " twice `attribution.kubelet.every`; then no owner is known.");
  private static final Key<Integer> MAX_ANSWER =
      Key.of(
          SECTION + "maxAnswer",
          KeyType.size(1 << 10, 1 << 29),
          64 << 20,
          "Maximum size of a response of the kubelet, which lists every pod of the node.");
  private static final Key<List<String>> RESOURCES =
      Key.of(
          SECTION + "resources",
          KeyType.listOf(KeyType.pattern(), 0),
          GPU_RESOURCES,
          "Regular expressions for the names of extended resources that are GPUs; each matches the"
              + " full name.");
  private static final Key<List<String>> DRIVERS =
      Key.of(
          SECTION + "drivers",
          KeyType.listOf(KeyType.text(), 0),
          List.of("gpu.nvidia.com"),
          "Drivers of dynamic resource allocation (DRA) whose devices are GPUs.");
  private static final Key<Relabelling> RELABEL =
      Key.of(
          SECTION + "relabel",
          KeyType.relabelling(),
          Relabelling.NONE,
          "Relabeling rules for the devices that the kubelet lists, with the labels `pod`,"
              + " `namespace`, `container`, `resource` and `device`: they rewrite `device` where a"
              + " plugin has its own IDs, drop devices, and add labels of the owner.");
  private static final Key<Path> POD_LOGS =
      Key.of(
          SECTION + "podLogs",
          KeyType.path(),
          Path.of("/var/log/pods"),
          "Folder of the pods' logs, whose names have the UIDs of pods: a pod whose cgroup is"
              + " gone has finished, even if an older kubelet still lists it.");

  public static KubeletSettings read(ConfigReader in) {
    return new KubeletSettings(
        in.get(ENABLED),
        in.get(SOCKET),
        in.get(EVERY),
        in.get(TIMEOUT),
        in.get(KEEP),
        in.get(MAX_ANSWER),
        in.get(RESOURCES),
        in.get(DRIVERS),
        in.get(RELABEL),
        in.get(POD_LOGS));
  }
}
