package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.LocalHost;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.config.RegistrationSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.relabel.Relabelling;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Configuration of a probe.
 *
 * @param hostname {@code hostname}: value of the {@code Hostname} label
 * @param instance {@code instance}: value of the label {@code instance} of every series
 * @param labels {@code labels}: labels of every series of this host, such as its rack
 * @param job {@code job}: value of the label {@code job} of {@code up}
 * @param relabelling {@code relabel}
 * @param http where {@code /metrics} is served, port 9400 by default
 * @param page what {@code /metrics} shows
 * @param gateways {@code gateways}; empty when the key is missing and gateways are discovered
 * @param discovery {@code discovery}: how gateways are discovered besides
 * @param registration {@code registration}: how others discover this probe
 * @param token {@code tokenFile}
 * @param trust which processes it believes to be gateways
 * @param ticks how often it reads what
 * @param host what is read of the host
 * @param gpu how GPUs are read
 * @param nccl how NCCL is asked for the jobs of the node
 * @param attribution how owners of GPUs are found
 * @param scrape the exporters that it scrapes
 * @param spool what waits for an acknowledgement
 * @param recent what is kept of the last minutes
 */
public record ProbeConfig(
    String hostname,
    String instance,
    Labels labels,
    String job,
    Relabelling relabelling,
    HttpSettings http,
    PageSettings page,
    List<URI> gateways,
    Optional<DiscoverySettings> discovery,
    Optional<RegistrationSettings> registration,
    Optional<Path> token,
    TrustSettings trust,
    TickSettings ticks,
    HostSettings host,
    GpuSettings gpu,
    NcclSettings nccl,
    AttributionSettings attribution,
    List<ScrapeSettings> scrape,
    SpoolSettings spool,
    RecentSettings recent,
    LogSettings log) {
  private static final int HTTP_PORT = 9400;
  private static final int GATEWAY_PORT = 9500;
  private static final Pattern ADDRESS =
      Pattern.compile("https?://([^/:\\s\\[\\]]+|\\[[0-9A-Fa-f:.]+\\]):\\d{1,5}");

  private static final Key<String> HOSTNAME =
      Key.derived(
          "hostname",
          KeyType.text(),
          "`NODE_NAME` of the environment, else the name of the machine",
          "Value of the label `Hostname` of every series.");
  private static final Key<String> INSTANCE =
      Key.derived(
          "instance",
          KeyType.text(),
          "`NODE_IP` of the environment, else the first address of the machine that is not a"
              + " loopback one",
          "Value of the label `instance` of every series, by which dashboards join the series of a"
              + " node.");
  private static final Key<Map<String, String>> LABELS =
      Key.of(
          "labels",
          KeyType.labels(),
          Map.of(),
          "Labels that are added to every series of this host, such as its rack.");
  private static final Key<String> JOB =
      Key.of(
          "job",
          KeyType.text(),
          "fleetgauge-probe",
          "Value of the label `job` of `up` and `scrape_*`, by which the probe appears as a"
              + " target.");
  private static final Key<Relabelling> RELABEL =
      Key.of(
          "relabel",
          KeyType.relabelling(),
          Relabelling.NONE,
          "Rules that change the labels of this host's series, or drop series, after `labels` were"
              + " added.");
  private static final Key<List<URI>> GATEWAYS =
      Key.of(
          "gateways",
          KeyType.listOf(
              KeyType.form(
                  "address",
                  "http://host:port or https://host:port",
                  URI::toString,
                  text -> Optional.of(text).filter(ADDRESS.asMatchPredicate()).map(URI::create)),
              1),
          List.of(URI.create("http://127.0.0.1:9500")),
          "Addresses of any gateways; the probe learns from them which one owns its host. With"
              + " `discovery.method`, they are added to the discovered ones, and there are none by"
              + " default.");
  private static final Key<Path> TOKEN_FILE =
      Key.optional(
          "tokenFile",
          KeyType.file(),
          "File with the token that the probe sends to gateways; it needs the `write` permission.");

  /**
   * @param source what messages call the text
   * @throws ConfigException with every problem there is
   */
  public static ProbeConfig read(String source, String yaml) throws ConfigException {
    return read(source, yaml, Map.of());
  }

  /**
   * @param source what messages call the text
   * @param others values of keys that take the place of those in the text
   * @throws ConfigException with every problem there is
   */
  public static ProbeConfig read(String source, String yaml, Map<String, Object> others)
      throws ConfigException {
    ConfigReader in = new ConfigReader(source, yaml);
    in.override(others);
    ProbeConfig config = read(in);
    in.finish();
    return config;
  }

  /** Every key of a probe's configuration. */
  public static List<Key<?>> keys() {
    return ConfigReader.keysReadBy(ProbeConfig::read);
  }

  private static ProbeConfig read(ConfigReader in) {
    String nodeName = System.getenv().getOrDefault("NODE_NAME", "");
    String nodeAddress = System.getenv().getOrDefault("NODE_IP", "");
    String hostname = in.get(HOSTNAME, nodeName.isBlank() ? LocalHost.name() : nodeName);
    String instance = in.get(INSTANCE, nodeAddress.isBlank() ? LocalHost.address() : nodeAddress);
    Labels labels = Labels.of(in.get(LABELS));
    String job = in.get(JOB);
    Relabelling relabelling = in.get(RELABEL);
    HttpSettings http = HttpSettings.readOpen(in, HTTP_PORT);
    List<URI> listed = in.get(GATEWAYS);
    Optional<Path> token = in.find(TOKEN_FILE);
    TrustSettings trust = TrustSettings.readForSender(in);
    TickSettings ticks = TickSettings.read(in);
    SpoolSettings spool = SpoolSettings.read(in);
    Optional<DiscoverySettings> discovery =
        DiscoverySettings.readForProbe(
            in, GATEWAY_PORT, spool.folder().map(folder -> folder.resolve("discovery")));
    List<URI> gateways = discovery.isPresent() && !in.has(GATEWAYS) ? List.of() : listed;
    return new ProbeConfig(
        hostname,
        instance,
        labels,
        job,
        relabelling,
        http,
        PageSettings.read(in),
        gateways,
        discovery,
        RegistrationSettings.read(in, hostname, instance, in.get(LABELS)),
        token,
        trust,
        ticks,
        HostSettings.read(in),
        GpuSettings.read(in),
        NcclSettings.read(in),
        AttributionSettings.read(in),
        ScrapeSettings.read(in, instance, ticks.tick()),
        spool,
        RecentSettings.read(in),
        LogSettings.read(in));
  }
}
