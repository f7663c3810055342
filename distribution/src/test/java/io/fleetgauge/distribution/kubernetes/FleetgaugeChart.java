package io.fleetgauge.distribution.kubernetes;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The chart, rendered by Helm. */
public final class FleetgaugeChart {
  static final Path FOLDER = Manifests.ROOT.resolve("chart/fleetgauge");

  /** Results so far: the chart stays as it is while the tests run. */
  private static final Map<String, String> RENDERED = new ConcurrentHashMap<>();

  private final Helm helm = new Helm(FOLDER);
  private final Path folder;

  /**
   * @param folder for files with values
   */
  public FleetgaugeChart(Path folder) {
    this.folder = folder;
  }

  /** The text that Helm renders with some values. */
  String render(String values) throws IOException {
    String rendered = RENDERED.get(values);
    if (rendered == null) {
      rendered = template(values);
      RENDERED.put(values, rendered);
    }
    return rendered;
  }

  private String template(String values) throws IOException {
    return helm.template()
        .withName("fleetgauge")
        .withNamespace("fleetgauge")
        .withKubeVersion("1.35.0")
        .withValuesFile(file(values))
        .call();
  }

  /** Renders the chart for a version of Kubernetes. */
  String renderFor(String kubernetes) {
    return helm.template().withName("fleetgauge").withKubeVersion(kubernetes).call();
  }

  public Manifests objects(String values) throws IOException {
    return Manifests.of(render(values));
  }

  /** Why Helm refuses some values; empty if it does not. */
  String refusal(String values) throws IOException {
    try {
      render(values);
      return "";
    } catch (IllegalStateException e) {
      return e.getMessage();
    }
  }

  LintResult lint() {
    return helm.lint().strict().call();
  }

  /** Packages the chart. */
  void packageInto(Path destination) {
    helm.packageIt().withDestination(destination).call();
  }

  private Path file(String values) throws IOException {
    Path file = folder.resolve("values.yaml");
    Files.writeString(file, values);
    return file;
  }
}
