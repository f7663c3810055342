package io.fleetgauge.probe.host;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Faults;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.TextExposition;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A collector of its own tick class; it shares nothing with others, so that one may block. */
final class CollectorReader implements Reader {
  private static final Logger LOG = LoggerFactory.getLogger(CollectorReader.class);
  private static final double NANOS_PER_SECOND = 1e9;

  private final String name;
  private final Collector collector;
  private final TickClass tickClass;
  private final NodeFiles files;
  private final Faults faults;
  private final CollectorReadings readings;
  private final Metric duration = new Metric("node_scrape_collector_duration_seconds", "collector");
  private final Metric success = new Metric("node_scrape_collector_success", "collector");
  private final LongAdder failures = new LongAdder();
  private boolean isFailing;
  private boolean isMissing;

  /**
   * @param faults counts what the collector could not understand of the files
   */
  CollectorReader(
      String name, Collector collector, NodeFiles files, TickClass tickClass, Faults faults) {
    this.name = name;
    this.collector = collector;
    this.files = files;
    this.tickClass = tickClass;
    this.faults = faults;
    this.readings = new CollectorReadings(faults);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(tickClass);
  }

  @Override
  public void read(Set<TickClass> due, io.fleetgauge.probe.sampling.Readings out) {
    read(out.of(tickClass));
  }

  /** Type and help of metrics that no table has. */
  Map<String, TextExposition.Family> families() {
    return collector instanceof Textfile textfile ? textfile.families() : Map.of();
  }

  long faults() {
    return faults.count() + failures.sum();
  }

  void read(Tick.Builder tick) {
    readings.begin(tick);
    long start = System.nanoTime();
    boolean succeeded = succeeds();
    readings.add(duration, (System.nanoTime() - start) / NANOS_PER_SECOND, name);
    readings.add(success, succeeded ? 1 : 0, name);
  }

  private boolean succeeds() {
    long before = faults.count();
    try {
      collector.read(files, readings);
      boolean succeeded = faults.count() == before;
      if (!succeeded && !isFailing) {
        LOG.warn(
            "the collector {} left out what it could not read, here and from now on until all is"
                + " read again: {}",
            name,
            faults.last());
      }
      isFailing = !succeeded;
      isMissing = false;
      return succeeded;
    } catch (MissingSource e) {
      if (!isMissing) {
        LOG.info("the collector {} has nothing to read: {} is not there", name, e.getMessage());
      }
      isMissing = true;
      return false;
    } catch (IOException | RuntimeException e) {
      failures.increment();
      if (!isFailing) {
        LOG.warn("the collector {} failed; further failures are only counted", name, e);
      }
      isFailing = true;
      return false;
    }
  }
}
