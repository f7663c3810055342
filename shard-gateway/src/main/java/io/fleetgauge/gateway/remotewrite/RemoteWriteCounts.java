package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.runtime.process.Meters;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Outcomes of remote writes. */
final class RemoteWriteCounts {
  final LongAdder kept = new LongAdder();
  final LongAdder refused = new LongAdder();
  final LongAdder retry = new LongAdder();
  final LongAdder samples = new LongAdder();

  /** Samples of series that relabelling drops. */
  final LongAdder dropped = new LongAdder();

  /** Series with invalid labels, invalid histograms, and samples that contradict another one. */
  final LongAdder invalidSeries = new LongAdder();

  /** Series whose labels are not those that their tenant must write. */
  final LongAdder foreignSeries = new LongAdder();

  /** Bytes of the keys by which series are recognised. */
  final AtomicLong keyBytes = new AtomicLong();

  /**
   * Number of times that the series of a tenant were forgotten because all tenants had too many.
   */
  final LongAdder forgotten = new LongAdder();

  /** Counts that are metrics of the process. */
  static RemoteWriteCounts declared(Meters meters, MetadataTable metadata) {
    RemoteWriteCounts counts = new RemoteWriteCounts();
    counts.declare(meters, metadata);
    return counts;
  }

  private void declare(Meters meters, MetadataTable metadata) {
    meters.counters(
        "remote_writes",
        "Remote-write requests, by outcome.",
        "outcome",
        () -> Map.of("kept", kept.sum(), "refused", refused.sum(), "retry", retry.sum()));
    meters.counter(
        "remote_write_samples", "Stored samples of remote-write and OTLP requests.", samples::sum);
    meters.counter(
        "remote_write_dropped_samples",
        "Samples of remote-write and OTLP requests dropped by ingest.relabel.",
        dropped::sum);
    meters.counter(
        "remote_write_bad_series",
        "Series, native histograms and samples of remote-write and OTLP requests rejected because"
            + " they are invalid or contradict another sample of the request.",
        invalidSeries::sum);
    meters.counter(
        "remote_write_foreign_series",
        "Series of remote-write and OTLP requests rejected because they lack the write.labels of"
            + " the tenant.",
        foreignSeries::sum);
    meters.gauge(
        "remote_write_key_bytes",
        "Bytes of the keys by which series that were sent before are recognized.",
        keyBytes::get);
    meters.counter(
        "remote_write_forgotten",
        "Evictions of the known series of a tenant because the limit of keys was reached.",
        forgotten::sum);
    meters.counter(
        "remote_write_metadata_dropped",
        "Metadata of metrics dropped because the tenant has too many metrics.",
        metadata::dropped);
  }
}
