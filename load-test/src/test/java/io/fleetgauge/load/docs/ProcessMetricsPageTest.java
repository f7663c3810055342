package io.fleetgauge.load.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.probe.ProbeProcess;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.query.QueryProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docs/metrics/processes.md} has every metric that the processes have of themselves. */
class ProcessMetricsPageTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final Path PAGE = ROOT.resolve("docs/metrics/processes.md");

  /** Modules of the processes by the prefix of their metrics. */
  private static final Map<String, String> MODULES = new LinkedHashMap<>();

  /** Shared classes that no process names, by those through which it uses them. */
  private static final Map<String, String> USED_THROUGH =
      Map.of("ServerConnections", "HttpListener", "OtlpTracer", "Tracer");

  private static final Map<String, String> TITLES =
      Map.of("probe", "Probe", "gateway", "Gateway", "query", "Query API");

  private static final Pattern UNIT = Pattern.compile("_(seconds|bytes|ratio)(_total)?$");

  private static final String HEAD =
      """
      # Metrics of the processes

      <!-- Written from the sources by ProcessMetricsPageTest; do not edit it by hand. -->

      What probes, gateways and query APIs count of themselves, at their `/metrics`. A metric is absent while its feature is
      off, and one with labels until it has counted something. Metrics of GPUs and hosts are in [GPUs](gpu.md) and
      [hosts](host.md).
      """;

  static {
    MODULES.put("probe", "node-probe");
    MODULES.put("gateway", "shard-gateway");
    MODULES.put("query", "query-api");
  }

  @TempDir Path folder;

  /** Metrics that a process declares, in the order of names. */
  private static List<DeclaredMetric> declaredBy(String process) throws IOException {
    List<DeclaredMetric> all = new ArrayList<>();
    Path module = ROOT.resolve(MODULES.get(process));
    DeclaredMetric.of(module).values().forEach(all::addAll);
    String sources = sources(module);
    for (String shared : List.of("runtime", "cluster-config")) {
      DeclaredMetric.of(ROOT.resolve(shared))
          .forEach(
              (name, declared) -> {
                String used = USED_THROUGH.getOrDefault(name, name);
                if (Pattern.compile("\\b" + used + "\\b").matcher(sources).find()) {
                  all.addAll(declared);
                }
              });
    }
    all.sort(Comparator.comparing(DeclaredMetric::name));
    return all;
  }

  private static String sources(Path module) throws IOException {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        text.append(Files.readString(file));
      }
    }
    return text.toString();
  }

  private static String page() throws IOException {
    StringBuilder page = new StringBuilder(HEAD);
    for (String process : MODULES.keySet()) {
      page.append("\n## ").append(TITLES.get(process)).append("\n\n");
      page.append("| metric | type | unit | labels | meaning |\n|---|---|---|---|---|\n");
      for (DeclaredMetric metric : declaredBy(process)) {
        Matcher unit = UNIT.matcher(metric.name());
        String labels =
            metric.labels().stream()
                .map(each -> "`" + each + "`")
                .collect(Collectors.joining(", "));
        page.append(
            "| `fleetgauge_%s_%s` | %s |%s |%s | %s |\n"
                .formatted(
                    process,
                    metric.name(),
                    metric.type(),
                    unit.find() ? " " + unit.group(1) : "",
                    labels.isEmpty() ? "" : " " + labels,
                    metric.help().replace("|", "\\|")));
      }
    }
    return page.toString();
  }

  @Test
  void thePageHasWhatTheSourcesDeclare() throws Exception {
    String text = page();
    if ("write".equals(System.getProperty("fleetgauge.docs"))) {
      Files.writeString(PAGE, text);
    }
    assertThat(Files.readString(PAGE))
        .as(
            "write the page anew: ./fleetgauge test -pl load-test -am -Dtest=ProcessMetricsPageTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dfleetgauge.docs=write")
        .isEqualTo(text);
  }

  @Test
  void allThatRunningProcessesShowIsOnThePage() throws Exception {
    List<Integer> ports = LocalPorts.free(2);
    try (LocalFleet fleet = new LocalFleet("metrics", ports, folder, System::currentTimeMillis)) {
      fleet.startGateway(0, Duration.ofHours(1));
      QueryProcess query = fleet.startQuery("127.0.0.1", 0);
      URI gateway = fleet.gatewayAddresses().getFirst();
      ProbeConfig config =
          ProbeConfig.read(
              "probe",
              "{http: {host: 127.0.0.1, port: 0}, spool: {enabled: false}, gateways: ['"
                  + gateway
                  + "']}");
      try (ProbeProcess probe = ProbeProcess.start(config, System::currentTimeMillis)) {
        isOnThePage("probe", URI.create("http://127.0.0.1:" + probe.port()), 15);
        isOnThePage("gateway", gateway, 50);
        isOnThePage("query", URI.create("http://127.0.0.1:" + query.port()), 60);
      }
    }
  }

  private static void isOnThePage(String process, URI address, int fewest) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(address.resolve("/metrics")).build();
    String shown;
    try (HttpClient client = HttpClient.newHttpClient()) {
      shown = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
    Matcher types =
        Pattern.compile("^# TYPE (fleetgauge_" + process + "_\\w+) (\\w+)$", Pattern.MULTILINE)
            .matcher(shown);
    String page = page();
    int found = 0;
    while (types.find()) {
      assertThat(page).contains("| `" + types.group(1) + "` | " + types.group(2) + " |");
      found++;
    }
    assertThat(found).isGreaterThan(fewest);
  }
}
