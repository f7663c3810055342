package io.fleetgauge.gateway.usage;

import io.fleetgauge.runtime.process.Meters;
import java.util.concurrent.atomic.LongAdder;

/** Counts of what became of files of usage. */
public final class UsageCounts {
  /** Days that were computed of samples and written. */
  public final LongAdder computed = new LongAdder();

  /** Attempts to compute or write a day that failed. */
  public final LongAdder failed = new LongAdder();

  /** Files that were found to be damaged. */
  public final LongAdder damaged = new LongAdder();

  /** Files that were fetched from another gateway. */
  public final LongAdder fetched = new LongAdder();

  /** Hosts that were gone, whose files were removed before they expired. */
  public final LongAdder dropped = new LongAdder();

  /** Declares the metrics of files. */
  public void declare(Meters meters, UsageFiles files) {
    meters.gauge("usage_files", "Files of usage on disk.", files::fileCount);
    meters.gauge("usage_bytes", "Bytes of files of usage on disk.", files::fileBytes);
    meters.counter(
        "usage_days_computed", "Days of a host whose usage was computed.", computed::sum);
    meters.counter(
        "usage_failures", "Failed attempts to compute or write the usage of a day.", failed::sum);
    meters.counter("damaged_usage_files", "Files of usage found to be damaged.", damaged::sum);
    meters.counter(
        "fetched_usage_files", "Files of usage fetched from another gateway.", fetched::sum);
    meters.counter(
        "usage_hosts_dropped",
        "Hosts without samples whose usage was removed early, because the cluster has many hosts.",
        dropped::sum);
  }
}
