package io.fleetgauge.runtime.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Settings of how addresses of gateways, or of servers of another system, are discovered.
 *
 * @param section the keys' section, for messages
 * @param source who knows the addresses
 * @param refresh time between two questions
 * @param timeout longest time for one question
 * @param cache file with the last answer, used at a start until there is a newer one
 * @param maxAddresses most addresses of an answer
 * @param maxBytes longest answer, bytes
 * @param isTls whether addresses are reached over TLS
 */
public record DiscoverySettings(
    String section,
    Source source,
    Duration refresh,
    Duration timeout,
    Optional<Path> cache,
    int maxAddresses,
    int maxBytes,
    boolean isTls) {
  /** The section of members of the cluster. */
  public static final String OF_MEMBERS = "cluster.discovery";

  /** The section of a probe. */
  public static final String OF_PROBE = "discovery";

  /** Who knows the addresses. */
  public sealed interface Source {
    /**
     * A and AAAA records of names.
     *
     * @param port of each address
     * @param server host:port of the name server; empty for those of the machine
     */
    record Addresses(List<String> names, int port, Optional<String> server) implements Source {}

    /**
     * SRV records of names, which tell ports too.
     *
     * @param server host:port of the name server; empty for those of the machine
     */
    record Services(List<String> names, Optional<String> server) implements Source {}

    /**
     * EndpointSlices of a Service of Kubernetes.
     *
     * @param namespace empty for that of the pod
     * @param portName of the Service; empty for {@code port}
     * @param port of each address, without a name
     * @param hasNotReady whether pods count that are not ready
     */
    record Kubernetes(
        URI api,
        Optional<String> namespace,
        String service,
        Optional<String> portName,
        int port,
        boolean hasNotReady,
        Path tokenFile,
        Path ca,
        Path namespaceFile)
        implements Source {}

    /**
     * Instances of a service in Consul that pass all their checks.
     *
     * @param tags that an instance must have
     * @param port of an instance that is registered without one
     */
    record Consul(ConsulApi api, String service, List<String> tags, int port) implements Source {}

    /**
     * A list in a file.
     *
     * @param port of an address that is listed without one
     */
    record Listed(Path file, int port) implements Source {}
  }

  private enum Method {
    DNS,
    SRV,
    KUBERNETES,
    CONSUL,
    FILE
  }

  private enum Scheme {
    HTTP,
    HTTPS
  }

  private static final Path POD = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("([^\\s:\\[\\]/]+|\\[[0-9A-Fa-f:.]+\\]):\\d{1,5}");
  private static final Pattern NAME =
      Pattern.compile("(?=.{1,253}$)([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\\.?)+");

  /**
   * Settings of a member of the cluster; empty when members are listed.
   *
   * @param cache where the last answer is kept unless a key says otherwise
   */
  public static Optional<DiscoverySettings> readForMember(
      ConfigReader in, int port, Optional<Path> cache) {
    return read(in, new Keys(OF_MEMBERS, port, true), cache, true);
  }

  /**
   * Settings of a probe; empty when gateways are listed.
   *
   * @param cache where the last answer is kept unless a key says otherwise
   */
  public static Optional<DiscoverySettings> readForProbe(
      ConfigReader in, int port, Optional<Path> cache) {
    return read(in, new Keys(OF_PROBE, port, false), cache, false);
  }

  /**
   * Settings of a query API that looks for servers of another system; empty when they are listed.
   */
  public static Optional<DiscoverySettings> readForOthers(
      ConfigReader in, String section, int port) {
    return read(in, new Keys(section, port, false), Optional.empty(), false);
  }

  private static Optional<DiscoverySettings> read(
      ConfigReader in, Keys keys, Optional<Path> cache, boolean isMember) {
    Optional<Method> method = in.find(keys.method);
    int port = in.get(keys.port);
    boolean isTls = !isMember && in.get(keys.scheme) == Scheme.HTTPS;
    Duration refresh = in.get(keys.refresh);
    Duration timeout = in.get(keys.timeout);
    Optional<Path> kept = in.find(keys.cache).or(() -> cache);
    int maxAddresses = in.get(keys.maxAddresses);
    int maxBytes = in.get(keys.maxBytes);
    List<String> names = in.find(keys.dns.names).orElse(List.of());
    Optional<String> server = in.find(keys.dns.server);
    Optional<String> service = in.find(keys.kubernetes.service);
    Source.Kubernetes kubernetes =
        new Source.Kubernetes(
            in.get(keys.kubernetes.api, podApi()),
            in.find(keys.kubernetes.namespace),
            service.orElse(""),
            in.find(keys.kubernetes.port),
            port,
            in.get(keys.kubernetes.notReady, isMember),
            in.get(keys.kubernetes.token),
            in.get(keys.kubernetes.ca),
            POD.resolve("namespace"));
    ConsulApi consul = ConsulApi.read(in, keys.section + ".consul.");
    Optional<String> consulService = in.find(keys.consul.service);
    List<String> tags = in.get(keys.consul.tags);
    Optional<Path> file = in.find(keys.file);
    for (Key<?> each : keys.unused(method)) {
      if (in.has(each)) {
        in.problem(
            each.name()
                + ": the key has no effect "
                + (method.isEmpty()
                    ? "without " + keys.method.name()
                    : "with "
                        + keys.method.name()
                        + ": "
                        + keys.method.type().print(method.get())));
      }
    }
    if (method.isEmpty()) {
      return Optional.empty();
    }
    Optional<Source> source =
        switch (method.get()) {
          case DNS ->
              needed(in, keys.dns.names, method, !names.isEmpty())
                  .map(ok -> new Source.Addresses(names, port, server));
          case SRV ->
              needed(in, keys.dns.names, method, !names.isEmpty())
                  .map(ok -> new Source.Services(names, server));
          case KUBERNETES ->
              needed(in, keys.kubernetes.service, method, service.isPresent())
                  .map(ok -> kubernetes);
          case CONSUL ->
              needed(in, keys.consul.service, method, consulService.isPresent())
                  .map(ok -> new Source.Consul(consul, consulService.get(), tags, port));
          case FILE ->
              needed(in, keys.file, method, file.isPresent())
                  .map(ok -> new Source.Listed(file.get(), port));
        };
    return source.map(
        each ->
            new DiscoverySettings(
                keys.section, each, refresh, timeout, kept, maxAddresses, maxBytes, isTls));
  }

  private static Optional<Boolean> needed(
      ConfigReader in, Key<?> key, Optional<Method> method, boolean isThere) {
    if (!isThere && !in.has(key)) {
      in.problem(
          key.name()
              + ": the key is missing; method "
              + KeyType.choice(Method.class).print(method.orElseThrow())
              + " needs "
              + key.type().allowed());
    }
    return isThere ? Optional.of(true) : Optional.empty();
  }

  /** Where a pod reaches the API; the environment of every pod tells. */
  private static URI podApi() {
    String host = System.getenv().getOrDefault("KUBERNETES_SERVICE_HOST", "");
    String port = System.getenv().getOrDefault("KUBERNETES_SERVICE_PORT", "443");
    boolean isKnown = !host.isBlank() && port.matches("\\d{1,5}");
    String name = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
    return URI.create(
        isKnown ? "https://" + name + ":" + port : "https://kubernetes.default.svc:443");
  }

  /** The keys of one section. */
  private static final class Keys {
    final String section;
    final Key<Method> method;
    final Key<Integer> port;
    final Key<Scheme> scheme;
    final Key<Duration> refresh;
    final Key<Duration> timeout;
    final Key<Path> cache;
    final Key<Integer> maxAddresses;
    final Key<Integer> maxBytes;
    final DnsKeys dns;
    final KubernetesKeys kubernetes;
    final ConsulKeys consul;
    final Key<Path> file;

    Keys(String section, int defaultPort, boolean isMember) {
      boolean isProbe = section.equals(OF_PROBE);
      this.section = section;
      method =
          Key.optional(
              section + ".method",
              KeyType.choice(Method.class),
              "How addresses are discovered: `dns` by A and AAAA records, `srv` by SRV records,"
                  + " `kubernetes` by the EndpointSlices of a Service, `consul` by a service of"
                  + " Consul, `file` by a list in a file; see [discovery](discovery.md).");
      port =
          Key.of(
              section + ".port",
              KeyType.integer(1, 65_535),
              defaultPort,
              "Port of each discovered address that has none.");
      scheme =
          Key.of(
              section + ".scheme",
              KeyType.choice(Scheme.class),
              Scheme.HTTP,
              "Scheme of discovered addresses; a probe with `trust.ca` always uses https.");
      refresh =
          Key.of(
              section + ".refresh",
              KeyType.duration(Duration.ofSeconds(1), Duration.ofHours(1)),
              Duration.ofSeconds(5),
              "Interval between lookups.");
      timeout =
          Key.of(
              section + ".timeout",
              KeyType.duration(Duration.ofMillis(100), Duration.ofMinutes(1)),
              Duration.ofSeconds(3),
              "Timeout of a lookup.");
      cache =
          Key.derived(
              section + ".cache",
              KeyType.path(),
              isProbe
                  ? "`discovery` in `spool.folder`; none without a spool"
                  : isMember
                      ? "`discovery` in `store.folder` of a gateway; none for a query API"
                      : "none",
              "File with the last result, which is used after a restart until there is a newer"
                  + " one.");
      maxAddresses =
          Key.of(
              section + ".maxAddresses",
              KeyType.integer(1, 100_000),
              1_000,
              "Maximum number of addresses of a result; one with more is rejected and counted, and"
                  + " the addresses before it stay in use.");
      maxBytes =
          Key.of(
              section + ".maxAnswer",
              KeyType.size(1 << 10, 64 << 20),
              8 << 20,
              "Maximum size of a response or file; a larger one is rejected and counted.");
      dns = new DnsKeys(section);
      kubernetes = new KubernetesKeys(section, isMember);
      consul = new ConsulKeys(section);
      file =
          Key.optional(
              section + ".file.path",
              KeyType.path(),
              "File with a list of addresses in YAML or JSON, or in the form of Prometheus's"
                  + " `file_sd_configs`; it is read at each refresh.");
    }

    List<Key<?>> unused(Optional<Method> method) {
      List<Key<?>> all = new ArrayList<>();
      if (method.isEmpty()) {
        all.addAll(List.of(port, scheme, refresh, timeout, cache, maxAddresses, maxBytes));
      }
      if (method.filter(each -> each == Method.DNS || each == Method.SRV).isEmpty()) {
        all.addAll(List.of(dns.names, dns.server));
      }
      if (method.filter(Method.KUBERNETES::equals).isEmpty()) {
        all.addAll(
            List.of(
                kubernetes.api,
                kubernetes.namespace,
                kubernetes.service,
                kubernetes.port,
                kubernetes.notReady,
                kubernetes.token,
                kubernetes.ca));
      }
      if (method.filter(Method.CONSUL::equals).isEmpty()) {
        all.addAll(List.of(consul.service, consul.tags));
        all.addAll(ConsulApi.keys(section + ".consul."));
      }
      if (method.filter(Method.FILE::equals).isEmpty()) {
        all.add(file);
      }
      return all;
    }
  }

  private static final class DnsKeys {
    final Key<List<String>> names;
    final Key<String> server;

    DnsKeys(String section) {
      names =
          Key.optional(
              section + ".dns.names",
              KeyType.listOf(
                  KeyType.form(
                      "name",
                      "a DNS name such as gateways.example.org",
                      text -> text,
                      text -> Optional.of(text).filter(NAME.asMatchPredicate())),
                  1),
              "Names whose records are looked up; their addresses are combined. A name that does"
                  + " not end with a dot is completed as `/etc/resolv.conf` says.");
      server =
          Key.derived(
              section + ".dns.server",
              KeyType.form(
                  "address",
                  "host:port of a name server",
                  text -> text,
                  text -> Optional.of(text).filter(HOST_AND_PORT.asMatchPredicate())),
              "those of `/etc/resolv.conf`",
              "Address of the name server.");
    }
  }

  private static final class KubernetesKeys {
    final Key<URI> api;
    final Key<String> namespace;
    final Key<String> service;
    final Key<String> port;
    final Key<Boolean> notReady;
    final Key<Path> token;
    final Key<Path> ca;

    KubernetesKeys(String section, boolean isMember) {
      api =
          Key.derived(
              section + ".kubernetes.api",
              ConsulApi.url(),
              "that of the pod's environment, else `https://kubernetes.default.svc:443`",
              "Address of the Kubernetes API.");
      namespace =
          Key.derived(
              section + ".kubernetes.namespace",
              KeyType.text(),
              "that of the pod",
              "Namespace of the Service.");
      service =
          Key.optional(section + ".kubernetes.service", KeyType.text(), "Name of the Service.");
      port =
          Key.derived(
              section + ".kubernetes.port",
              KeyType.text(),
              "`" + section + ".port`",
              "Name of the Service's port whose number is used.");
      notReady =
          Key.derived(
              section + ".kubernetes.notReady",
              KeyType.flag(),
              isMember ? "`true`" : "`false`",
              "Whether pods that are not ready are included; members of the cluster have to find"
                  + " each other before they are ready.");
      token =
          Key.of(
              section + ".kubernetes.tokenFile",
              KeyType.path(),
              POD.resolve("token"),
              "File with the token of the pod's service account; it is read for each lookup.");
      ca =
          Key.of(
              section + ".kubernetes.ca",
              KeyType.path(),
              POD.resolve("ca.crt"),
              "Authority in PEM that signs the certificate of the Kubernetes API.");
    }
  }

  private static final class ConsulKeys {
    final Key<String> service;
    final Key<List<String>> tags;

    ConsulKeys(String section) {
      service =
          Key.optional(
              section + ".consul.service", KeyType.text(), "Name of the service in Consul.");
      tags =
          Key.of(
              section + ".consul.tags",
              KeyType.listOf(KeyType.text(), 0),
              List.of(),
              "Tags that an instance of the service must have, all of them.");
    }
  }
}
