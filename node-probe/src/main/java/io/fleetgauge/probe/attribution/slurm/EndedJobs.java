package io.fleetgauge.probe.attribution.slurm;

import io.fleetgauge.probe.attribution.allocation.Allocations;
import io.fleetgauge.probe.attribution.allocation.ReportedAllocation;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the allocations of jobs whose cgroup was there and has gone, for an epilog that failed. Not
 * for several threads.
 */
public final class EndedJobs {
  private static final Logger LOG = LoggerFactory.getLogger(EndedJobs.class);

  private final Allocations allocations;
  private final JobCgroups cgroups;
  private final Set<String> missing = new HashSet<>();

  public EndedJobs(Allocations allocations, JobCgroups cgroups) {
    this.allocations = allocations;
    this.cgroups = cgroups;
  }

  /** Looks once; the second look in a row that misses a cgroup ends the allocation. */
  public void look() {
    List<ReportedAllocation> ofJobs =
        allocations.now().stream().filter(each -> !each.job().isEmpty()).toList();
    missing.retainAll(ofJobs.stream().map(ReportedAllocation::id).toList());
    if (ofJobs.isEmpty()) {
      return;
    }
    Optional<JobCgroups.Found> found = cgroups.read();
    if (found.isEmpty()) {
      return;
    }
    for (ReportedAllocation each : ofJobs) {
      if (found.get().jobs().contains(each.job())) {
        missing.remove(each.id());
        allocations.sawCgroup(each);
      } else if (!each.hadCgroup()) {
        missing.remove(each.id()); // it has not begun, or has been told again
      } else if (!missing.add(each.id())) {
        missing.remove(each.id());
        if (allocations.endOf(each)) {
          LOG.warn(
              "the cgroup of job {} is gone and no epilog reported its end: allocation {} has"
                  + " ended",
              each.job(),
              each.id());
        }
      }
    }
  }
}
