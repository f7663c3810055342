package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.DriverModel;
import io.fleetgauge.load.nodes.driver.Fault;
import io.fleetgauge.load.nodes.driver.PlayedClock;
import io.fleetgauge.load.nodes.driver.SimulatedGpu;
import io.fleetgauge.load.nodes.driver.Work;
import io.fleetgauge.probe.gpu.GpuReport;
import io.fleetgauge.probe.gpu.GpuSampling;
import io.fleetgauge.probe.gpu.GpuSource;
import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.probe.gpu.reading.LinkSeries;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.probe.xid.KernelLines;
import io.fleetgauge.probe.xid.XidCounts;
import io.fleetgauge.probe.xid.XidSampling;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A simulated node: its host and GPUs, and the probe's own sampling over them. Not for several
 * threads.
 */
public final class SimulatedNode implements PlayedNode {
  private static final long NANOS = 1_000_000;

  /** Interval at which faults with XIDs that repeat are reported. */
  private static final long REPEAT_MILLIS = 120_000;

  private static final Set<Fault> REPEATED = EnumSet.of(Fault.PAGE_FAULTS, Fault.EXCEPTIONS);

  private final Place place;
  private final JobSchedule jobs;
  private final Incidents incidents;
  private final PlayedClock clock;
  private final List<SimulatedGpu> gpus = new ArrayList<>();
  private final List<Set<Fault>> faults = new ArrayList<>();
  private final long[] reportedAt;
  private final DriverModel driver;
  private final GpuThread thread;
  private final XidCounts xids;
  private final KernelLines lines = new KernelLines();
  private final HostModel host;
  private final List<AttributedReader> owned = new ArrayList<>();
  private final Sampler sampler;

  /** Labels of the owners of each GPU, or of its instances. */
  private final List<List<Labels>> owners = new ArrayList<>();

  private long time;

  /**
   * @param first time of the first tick, ms since the epoch
   */
  public SimulatedNode(Place place, FleetLayout fleet, Incidents incidents, long first) {
    this.place = place;
    this.jobs = new JobSchedule(fleet);
    this.incidents = incidents;
    this.time = first;
    this.clock = new PlayedClock(fleet.tick().dividedBy(3));
    for (int i = 0; i < place.board().perNode(); i++) {
      long seed = fleet.seed() * 1_000_003 + place.number() * 64L + i;
      gpus.add(new SimulatedGpu(place.board(), i, place.uuid(i), place.instances(i), seed));
      faults.add(EnumSet.noneOf(Fault.class));
    }
    reportedAt = new long[gpus.size()];
    driver = new DriverModel(gpus, clock);
    thread =
        new GpuThread(
            new GpuSource("simulated", List.of(), LinkSeries.NONE, gpus.size()),
            log -> Nvml.of(driver, log),
            clock::nanos,
            clock);
    TickClasses classes = TickClasses.of(fleet.ticks());
    host = new HostModel(place.hostname(), place.number(), classes, fleet.seed(), first);
    xids = new XidCounts(() -> time);
    List<Reader> readers = new ArrayList<>(host.readers());
    Duration limit = fleet.tick().dividedBy(3);
    own(new GpuSampling(thread, classes, limit), classes);
    own(new GpuReport(thread, classes.core(), classes.other()), classes);
    own(
        new XidSampling(
            xids,
            new XidCounts(() -> time),
            SimulatedLog.ALL,
            lines,
            thread::gpus,
            classes.core(),
            () -> time),
        classes);
    own(new Allocation(gpus, classes.core(), this::owner), classes);
    readers.addAll(owned);
    sampler =
        new Sampler(
            readers,
            NodeLabelling.of(place.hostname(), place.address(), place.rackName()),
            () -> GpuOwners.NONE,
            "gpu-probe",
            fleet.tick(),
            () -> time,
            clock::nanos,
            TickSink.NONE);
  }

  private void own(Reader reader, TickClasses classes) {
    owned.add(new AttributedReader(reader, classes.constant(), this::owner));
  }

  @Override
  public String hostname() {
    return place.hostname();
  }

  @Override
  public Optional<Tick> tick(long newTime) throws InterruptedException {
    time = newTime;
    double activity = turnGpus();
    host.turnTo(time, activity);
    Optional<Long> hung = incidents.end(Fault.HUNG_DRIVER, place.number(), time);
    driver.hangUntil(hung.isPresent() ? OptionalLong.of(hung.get() * NANOS) : OptionalLong.empty());
    clock.turnTo(time * NANOS);
    Tick tick = sampler.readAt(time);
    boolean silent = incidents.end(Fault.SILENT, place.number(), time).isPresent();
    return silent ? Optional.empty() : Optional.of(tick);
  }

  /** Goes on with jobs and faults; answers what the GPUs do on average. */
  private double turnGpus() {
    List<List<Labels>> before = List.copyOf(owners);
    owners.clear();
    double activity = 0;
    for (int index = 0; index < gpus.size(); index++) {
      SimulatedGpu gpu = gpus.get(index);
      Set<Fault> now = incidents.of(place.number(), index, time);
      int parts = Math.max(1, gpu.instances());
      List<Work> work = new ArrayList<>();
      List<Labels> ofGpu = new ArrayList<>();
      for (int part = 0; part < parts; part++) {
        Optional<Job> job =
            now.contains(Fault.MEMORY_HELD)
                ? Optional.empty()
                : jobs.on(place, parts > 1 ? part : index % 2, time);
        ofGpu.add(OwnerLabels.labels(place, index, part, job));
        work.add(job.map(Job::work).orElse(Work.NONE));
        activity += work.getLast().intensity() / parts / gpus.size();
      }
      owners.add(List.copyOf(ofGpu));
      gpu.turnTo(time, work, now);
      report(gpu, index, now);
    }
    if (!owners.equals(before)) {
      owned.forEach(AttributedReader::forgetOwners);
    }
    return activity;
  }

  /** The driver reports XIDs of faults that begin, and some again while they last. */
  private void report(SimulatedGpu gpu, int index, Set<Fault> now) {
    for (Fault fault : now) {
      boolean begins = !faults.get(index).contains(fault);
      boolean repeats = REPEATED.contains(fault) && time - reportedAt[index] >= REPEAT_MILLIS;
      if (fault.xid() > 0 && (begins || repeats)) {
        xids.count(gpu.address(), fault.xid());
        String line = "NVRM: Xid (PCI:" + gpu.address() + "): " + fault.xid() + ", simulated";
        lines.see(KernelLines.Kind.XID, gpu.address(), fault.xid(), line, time, time);
        reportedAt[index] = time;
      }
    }
    faults.set(index, now);
  }

  /** Labels of who has the GPU or instance that a series is of. */
  private Labels owner(Labels series) {
    String gpu = series.value("gpu");
    if (gpu.isEmpty()) {
      return Labels.EMPTY;
    }
    String instance = series.value("GPU_I_ID");
    List<Labels> ofGpu = owners.get(Integer.parseInt(gpu));
    if (ofGpu.size() > 1 && instance.isEmpty()) {
      return Labels.EMPTY; // only its instances have owners
    }
    return ofGpu.get(instance.isEmpty() ? 0 : Integer.parseInt(instance) - 1);
  }

  @Override
  public void close() {
    clock.close();
    sampler.close();
    thread.close();
  }
}
