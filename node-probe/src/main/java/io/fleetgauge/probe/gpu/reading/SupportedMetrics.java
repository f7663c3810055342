package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.gpu.Tier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which metrics a GPU or MIG device has, by the questions that give them. A metric is unsupported
 * when all of its questions are, and denied when none is left but denied ones.
 */
final class SupportedMetrics {
  private static final String SUPPORTED = GpuMetrics.of("gpu_probe_supported").name();
  private static final String DENIED = GpuMetrics.of("gpu_probe_denied").name();

  private record Entry(Labels unsupported, Labels denied, List<Support> questions) {}

  private final Labels of;
  private final Map<String, Entry> entries = new LinkedHashMap<>();

  SupportedMetrics(Labels of) {
    this.of = of;
  }

  /** A question that gives these metrics. */
  Support question(Collection<String> metrics) {
    Support question = new Support();
    for (String metric : metrics) {
      entries.computeIfAbsent(metric, this::entry).questions().add(question);
    }
    return question;
  }

  private Entry entry(String metric) {
    Labels named = of.with("metric", metric);
    return new Entry(
        named.with(Labels.NAME, SUPPORTED), named.with(Labels.NAME, DENIED), new ArrayList<>());
  }

  void report(GpuSnapshot out) {
    if (!out.isDue(Tier.STATIC)) {
      return;
    }
    for (Entry entry : entries.values()) {
      boolean all = true;
      boolean denied = false;
      for (Support question : entry.questions()) {
        all &= question.isUnsupported() || question.isDenied();
        denied |= question.isDenied();
      }
      if (all) {
        out.add(Tier.STATIC, denied ? entry.denied() : entry.unsupported(), denied ? 1 : 0);
      }
    }
  }
}
