package io.fleetgauge.probe.gpu;

import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.gpu.Tier;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The node's GPUs, as the sampler reads them: each metric in the class of its tier. */
public final class GpuSampling implements Reader {
  private final GpuThread thread;
  private final Duration limit;
  private final Map<String, TickClass> classes = new HashMap<>();
  private final Map<TickClass, Set<Tier>> tiers = new HashMap<>();

  /** The class of all metrics of a tier; none where a metric has one of its own. */
  private final Map<Tier, TickClass> common = new EnumMap<>(Tier.class);

  /**
   * @param limit how long the driver may take
   */
  public GpuSampling(GpuThread thread, TickClasses settings, Duration limit) {
    this.thread = thread;
    this.limit = limit;
    for (GpuMetric metric : GpuMetrics.all()) {
      TickClass of = settings.of(name(), metric.name(), usual(settings, metric.tier()));
      classes.put(metric.name(), of);
      tiers.computeIfAbsent(of, key -> EnumSet.noneOf(Tier.class)).add(metric.tier());
    }
    for (Tier tier : Tier.values()) {
      List<TickClass> all =
          tiers.keySet().stream().filter(c -> tiers.get(c).contains(tier)).toList();
      if (all.size() == 1) {
        common.put(tier, all.getFirst());
      }
    }
  }

  private static TickClass usual(TickClasses settings, Tier tier) {
    return switch (tier) {
      case CORE -> settings.core();
      case HEALTH, EXTENDED, LINK -> settings.other();
      case STATIC -> settings.constant();
    };
  }

  @Override
  public String name() {
    return "gpu";
  }

  @Override
  public Set<TickClass> classes() {
    return tiers.keySet();
  }

  @Override
  public void read(Set<TickClass> due, Readings out) throws IOException, InterruptedException {
    Set<Tier> wanted = EnumSet.noneOf(Tier.class);
    for (TickClass of : due) {
      wanted.addAll(tiers.get(of));
    }
    GpuSnapshot read =
        thread
            .read(wanted, limit)
            .orElseThrow(() -> new IOException("the driver has not responded for " + limit));
    for (Tier tier : wanted) {
      TickClass ofAll = common.get(tier);
      Tick samples = read.of(tier).at(0);
      for (int i = 0; i < samples.size(); i++) {
        Labels series = samples.series().get(i);
        TickClass of = ofAll != null ? ofAll : classes.get(series.metric());
        if (due.contains(of)) {
          out.add(of, series, samples.values()[i]);
        }
      }
    }
  }
}
