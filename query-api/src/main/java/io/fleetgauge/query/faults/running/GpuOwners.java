package io.fleetgauge.query.faults.running;

import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.gpu.OwnerLabels;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Who has the GPUs of each host, by what was read last. Not for several threads. */
final class GpuOwners {
  private static final Set<String> METRICS =
      Set.of(Signal.UTILISATION.metric(), Signal.POWER.metric());

  private final Map<String, Map<String, Seen>> hosts = new HashMap<>();

  private record Seen(Labels owner, long at) {}

  void take(String host, List<Series> series) {
    for (Series each : series) {
      String uuid = each.labels().value("UUID");
      if (uuid.isEmpty() || !METRICS.contains(each.labels().metric())) {
        continue;
      }
      for (int i = each.size() - 1; i >= 0; i--) {
        if (!Staleness.isMarker(each.values()[i])) {
          Seen now = new Seen(each.labels().only(OwnerLabels.KNOWN), each.times()[i]);
          hosts
              .computeIfAbsent(host, none -> new HashMap<>())
              .merge(uuid, now, (a, b) -> b.at >= a.at ? b : a);
          break;
        }
      }
    }
  }

  /**
   * The labels that all jobs on a host share: a host that holds only one tenant's jobs has that
   * tenant's.
   */
  Labels shared(String host) {
    Collection<Seen> gpus = hosts.getOrDefault(host, Map.of()).values();
    boolean hasJobs = gpus.stream().anyMatch(gpu -> isJob(gpu.owner));
    Labels shared = null;
    for (Seen gpu : gpus) {
      if (hasJobs ? isJob(gpu.owner) : !gpu.owner.isEmpty()) {
        shared = shared == null ? gpu.owner : shared.common(gpu.owner);
      }
    }
    return shared == null ? Labels.EMPTY : shared;
  }

  private static boolean isOf(Labels gpu, Labels owner) {
    return gpu.value("tenant").equals(owner.value("tenant"))
        && gpu.value("namespace").equals(owner.value("namespace"));
  }

  private static boolean isJob(Labels owner) {
    return !job(owner).isEmpty();
  }

  private static String job(Labels owner) {
    return owner.value("job").isEmpty() ? owner.value("hpc_job") : owner.value("job");
  }

  /**
   * The first host of a job by name; empty if none is known.
   *
   * @param owner its labels: jobs of two tenants may have one name
   */
  String firstHost(String job, Labels owner) {
    String first = "";
    for (Map.Entry<String, Map<String, Seen>> host : hosts.entrySet()) {
      boolean isBefore = first.isEmpty() || host.getKey().compareTo(first) < 0;
      if (isBefore
          && host.getValue().values().stream()
              .anyMatch(gpu -> job(gpu.owner).equals(job) && isOf(gpu.owner, owner))) {
        first = host.getKey();
      }
    }
    return first;
  }
}
