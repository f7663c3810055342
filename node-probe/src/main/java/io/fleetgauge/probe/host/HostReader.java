package io.fleetgauge.probe.host;

import io.fleetgauge.probe.config.HostCollector;
import io.fleetgauge.probe.config.HostSettings;
import io.fleetgauge.probe.host.reading.Faults;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.sampling.ProbePart;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.TextExposition;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/** The collectors that are on, each a reader. Any thread may ask for {@link #failures}. */
public final class HostReader implements ProbePart {
  /** Collectors of what changes slowly, or costs more to read. */
  private static final Set<HostCollector> OTHER =
      EnumSet.of(
          HostCollector.ARP,
          HostCollector.BONDING,
          HostCollector.EDAC,
          HostCollector.ENTROPY,
          HostCollector.FILESYSTEM,
          HostCollector.HWMON,
          HostCollector.MDADM,
          HostCollector.NETCLASS,
          HostCollector.NVME,
          HostCollector.PROCESSES,
          HostCollector.THERMAL_ZONE,
          HostCollector.TIMEX,
          HostCollector.XFS);

  /** Collectors of what hardly ever changes while the node is up. */
  private static final Set<HostCollector> CONSTANT =
      EnumSet.of(HostCollector.DMI, HostCollector.OS, HostCollector.UNAME);

  private final List<CollectorReader> readers = new ArrayList<>();

  /**
   * @param clock ms since the epoch
   */
  public HostReader(HostSettings settings, TickClasses classes, LongSupplier clock) {
    for (HostCollector name : HostCollector.values()) {
      if (settings.collectors().contains(name)) {
        Faults faults = new Faults();
        NodeFiles files = new NodeFiles(settings.proc(), settings.sys(), settings.root(), faults);
        TickClass usual =
            OTHER.contains(name)
                ? classes.other()
                : CONSTANT.contains(name) ? classes.constant() : classes.core();
        readers.add(
            new CollectorReader(
                name.text(),
                Collectors.of(name, settings, clock),
                files,
                classes.of(name.text(), "", usual),
                faults));
      }
    }
  }

  /** One for each collector, by its name. */
  @Override
  public List<Reader> readers() {
    return List.copyOf(readers);
  }

  /** Type and help of metrics that no table has, by name. */
  public Map<String, TextExposition.Family> families() {
    Map<String, TextExposition.Family> families = new HashMap<>();
    readers.forEach(reader -> families.putAll(reader.families()));
    return families;
  }

  /** Files, lines and words that could not be understood, since the start. */
  public long failures() {
    return readers.stream().mapToLong(CollectorReader::faults).sum();
  }

  @Override
  public void declare(Meters meters) {
    meters.counter(
        "host_read_failures", "Files or lines of /proc that could not be read.", this::failures);
  }

  /** Nothing of it runs. */
  @Override
  public void close() {}

  /** Adds one reading of everything, whatever is due. */
  public void read(Tick.Builder tick) {
    readers.forEach(reader -> reader.read(tick));
  }
}
