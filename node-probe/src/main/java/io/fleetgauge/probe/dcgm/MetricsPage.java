package io.fleetgauge.probe.dcgm;

import io.fleetgauge.probe.config.PageSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.TextExposition;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.fleetgauge.sample.vocabulary.Aliases;
import io.fleetgauge.sample.vocabulary.Factor;
import io.fleetgauge.sample.vocabulary.MetricAlias;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes readings in the text format. Immutable. */
public final class MetricsPage {
  private static final String HOSTNAME = "Hostname";

  private final PageSettings settings;

  /** Aliases by their names. */
  private final Map<String, MetricAlias> aliases = new HashMap<>();

  /** The alias under which a stored metric is shown, if it is. */
  private final Map<String, MetricAlias> shown = new HashMap<>();

  /** Names of labels by the names of the stored ones. */
  private final Map<String, String> labels = new HashMap<>();

  public MetricsPage(PageSettings settings) {
    this.settings = settings;
    for (MetricAlias alias : AliasTable.builtIn().metrics()) {
      aliases.put(alias.name(), alias);
    }
    if (settings.vocabulary().equals(PageSettings.NEWER)) {
      Aliases newer = AliasTable.builtIn().vocabulary(PageSettings.NEWER);
      for (MetricAlias alias : AliasTable.builtIn().metrics()) {
        if (newer.metrics().containsKey(alias.name())) {
          shown.putIfAbsent(alias.stored(), alias);
        }
      }
      newer.labels().forEach((name, stored) -> labels.put(stored, name));
    }
  }

  /**
   * @param tick the newest readings
   * @param host type and help of the metrics of the host
   * @param counters the metrics that were chosen, with their types and help
   */
  public String text(Tick tick, Map<String, TextExposition.Family> host, Counters counters) {
    Map<String, TextExposition.Family> families = new HashMap<>(host);
    families.putAll(KnownMetrics.families(tick));
    Tick.Builder page = new Tick.Builder();
    for (int i = 0; i < tick.size(); i++) {
      Labels series = tick.series().get(i);
      String name = series.metric();
      if (GpuMetrics.find(name).isEmpty()) {
        page.add(withoutHostname(series), tick.values()[i]);
        continue;
      }
      Labels renamed = withoutHostname(renamed(series));
      Optional<List<Counter>> chosen = counters.of(name);
      if (chosen.isPresent()) {
        for (Counter counter : chosen.get()) {
          MetricAlias alias = aliases.get(counter.name());
          add(page, renamed, counter.name(), alias, tick.values()[i]);
          families.put(counter.name(), new TextExposition.Family(counter.type(), counter.help()));
        }
        continue;
      }
      MetricAlias alias = shown.get(name);
      add(page, renamed, alias == null ? name : alias.name(), alias, tick.values()[i]);
      if (alias != null) {
        TextExposition.Family stored = families.get(name);
        families.put(
            alias.name(),
            alias.help().isEmpty()
                ? stored
                : new TextExposition.Family(stored.type(), alias.help()));
      }
    }
    return TextExposition.write(page.at(tick.time()), families);
  }

  private static void add(
      Tick.Builder page, Labels series, String name, MetricAlias alias, double value) {
    Factor factor = alias == null ? Factor.ONE : alias.factor();
    page.add(
        name.equals(series.metric()) ? series : series.with(Labels.NAME, name),
        factor.apply(value));
  }

  private Labels renamed(Labels series) {
    Labels renamed = series;
    for (var label : labels.entrySet()) {
      String value = series.value(label.getKey());
      if (!value.isEmpty()) {
        renamed = renamed.without(label.getKey()).with(label.getValue(), value);
      }
    }
    return renamed;
  }

  private Labels withoutHostname(Labels series) {
    return settings.hostname()
        ? series
        : series.without(HOSTNAME).without(labels.getOrDefault(HOSTNAME, HOSTNAME));
  }
}
