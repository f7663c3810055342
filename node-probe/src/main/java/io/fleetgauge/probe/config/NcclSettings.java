package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Settings of reading the RAS ports of NCCL.
 *
 * @param enabled {@code nccl.ras.enabled}
 * @param addresses {@code nccl.ras.addresses}
 * @param every {@code nccl.ras.every}
 * @param timeout {@code nccl.ras.timeout}
 * @param namespaces {@code nccl.ras.namespaces}
 * @param communicators {@code nccl.ras.communicators}
 */
public record NcclSettings(
    boolean enabled,
    List<String> addresses,
    Duration every,
    Duration timeout,
    boolean namespaces,
    int communicators) {
  private static final Pattern ADDRESS =
      Pattern.compile("(?:\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-fA-F:.]{2,45}\\]):(\\d{1,5})");
  private static final int HIGHEST_PORT = 65_535;

  private static final Key<Boolean> ENABLED =
      Key.of(
          "nccl.ras.enabled",
          KeyType.flag(),
          true,
          "Whether the RAS ports of the node's jobs are read, which NCCL opens from 2.24 on: the"
              + " collective operations of each rank, and the ranks that are missing. Nothing is"
              + " read of jobs that do not listen.");
  private static final Key<List<String>> ADDRESSES =
      Key.of(
          "nccl.ras.addresses",
          KeyType.listOf(
              KeyType.form(
                  "address",
                  "an IP address and a port, such as 127.0.0.1:28028",
                  text -> text,
                  NcclSettings::address),
              1),
          List.of("127.0.0.1:28028"),
          "Addresses of the RAS ports, as `NCCL_RAS_ADDR` of the jobs sets them; each is asked in"
              + " every network namespace in which a process with a GPU listens at its port.");
  private static final Key<Duration> EVERY =
      Key.of(
          "nccl.ras.every",
          KeyType.duration(Duration.ofSeconds(5), Duration.ofMinutes(10)),
          Duration.ofSeconds(15),
          "Interval between two readings. It is longer for jobs of more than 300 nodes, so that"
              + " all probes together ask a job at most 20 times a second.");
  private static final Key<Duration> TIMEOUT =
      Key.of(
          "nccl.ras.timeout",
          KeyType.duration(Duration.ofSeconds(1), Duration.ofMinutes(1)),
          Duration.ofSeconds(10),
          "Timeout of one answer. A job whose processes do not respond needs half of it to say"
              + " which.");
  private static final Key<Boolean> NAMESPACES =
      Key.of(
          "nccl.ras.namespaces",
          KeyType.flag(),
          true,
          "Whether network namespaces of jobs are entered to reach their RAS ports. It needs the"
              + " capability SYS_ADMIN; without it, such jobs are counted in"
              + " `gpu_nccl_ras_jobs_unseen`.");
  private static final Key<Integer> COMMUNICATORS =
      Key.of(
          "nccl.ras.communicators",
          KeyType.integer(1, 256),
          16,
          "Maximum number of communicators of one GPU with series; those with the most ranks"
              + " come first.");

  private static Optional<String> address(String text) {
    return Optional.of(text)
        .filter(
            each -> {
              var parts = ADDRESS.matcher(each);
              if (!parts.matches() || Integer.parseInt(parts.group(1)) > HIGHEST_PORT) {
                return false;
              }
              try {
                ip(each);
                return true;
              } catch (IllegalArgumentException e) {
                return false;
              }
            });
  }

  private static InetAddress ip(String address) {
    String host = address.substring(0, address.lastIndexOf(':'));
    return InetAddress.ofLiteral(
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
  }

  /** The addresses. */
  public List<InetSocketAddress> servers() {
    return addresses.stream()
        .map(
            text ->
                new InetSocketAddress(
                    ip(text), Integer.parseInt(text.substring(text.lastIndexOf(':') + 1))))
        .toList();
  }

  static NcclSettings read(ConfigReader in) {
    return new NcclSettings(
        in.get(ENABLED),
        in.get(ADDRESSES),
        in.get(EVERY),
        in.get(TIMEOUT),
        in.get(NAMESPACES),
        in.get(COMMUNICATORS));
  }
}
