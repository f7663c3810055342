package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.DriverModel;
import io.fleetgauge.load.nodes.driver.Fault;
import io.fleetgauge.load.nodes.driver.Incident;
import io.fleetgauge.load.nodes.driver.PlayedClock;
import io.fleetgauge.load.nodes.driver.SimulatedGpu;
import io.fleetgauge.load.nodes.driver.Work;
import io.fleetgauge.load.nodes.jobs.Activity;
import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Incidents;
import io.fleetgauge.load.nodes.jobs.Job;
import io.fleetgauge.load.nodes.jobs.JobPlay;
import io.fleetgauge.load.nodes.jobs.JobSchedule;
import io.fleetgauge.load.nodes.jobs.Jobs;
import io.fleetgauge.load.nodes.jobs.Place;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

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
  private final Jobs jobs;
  private final Incidents all;
  private final List<Incident> incidents;

  /** More than a GPU has instances, or jobs that share it. */
  private static final int MOST_PARTS = 16;

  private final PlayedClock clock;
  private final List<SimulatedGpu> gpus = new ArrayList<>();
  private final List<Set<Fault>> faults = new ArrayList<>();
  private final long[] reportedAt;
  private final DriverModel driver;
  private final GpuThread thread;
  private final XidCounts xids;
  private final KernelLines lines = new KernelLines();
  private final HostModel host;
  private final OwnerReadout processes;
  private final Map<Labels, PlayedMemory> memory = new TreeMap<>();
  private final Optional<SimulatedProcesses> table;
  private final List<AttributedReader> owned = new ArrayList<>();
  private final Sampler sampler;

  /** The jobs that its GPUs have. */
  private final Map<Long, JobPlay> plays = new HashMap<>();

  /** Labels of the owners of each GPU, or of its instances. */
  private final List<List<Labels>> owners = new ArrayList<>();

  /** Labels of those who share each GPU; none if nobody shares it. */
  private final List<List<Labels>> sharers = new ArrayList<>();

  private final List<PlayedDevice> played = new ArrayList<>();

  private long time;

  /**
   * A node of a fleet, with the series that dashboards and alerts ask for.
   *
   * @param first time of the first tick, ms since the epoch
   */
  public SimulatedNode(Place place, FleetLayout fleet, Incidents incidents, long first) {
    this(place, fleet, new JobSchedule(fleet), incidents, KeptSeries.OF_DASHBOARDS, first);
  }

  /**
   * A node.
   *
   * @param jobs that it shares with the other nodes
   * @param kept which series of GPUs it sends
   */
  SimulatedNode(
      Place place,
      FleetLayout fleet,
      Jobs jobs,
      Incidents incidents,
      Predicate<Labels> kept,
      long first) {
    this.place = place;
    this.jobs = jobs;
    this.all = incidents;
    this.incidents = incidents.of(place.number());
    this.time = first;
    this.clock = new PlayedClock(fleet.tick().dividedBy(3));
    for (int i = 0; i < place.board().perNode(); i++) {
      long seed = fleet.seed() * 1_000_003 + place.number() * 64L + i;
      gpus.add(new SimulatedGpu(place.board(), i, place.uuid(i), place.instances(i), seed));
      faults.add(EnumSet.noneOf(Fault.class));
    }
    reportedAt = new long[gpus.size()];
    driver = new DriverModel(gpus, clock);
    boolean isForDetectors = kept == KeptSeries.OF_DETECTORS;
    thread =
        new GpuThread(
            new GpuSource("simulated", List.of(), LinkSeries.OF_SWITCHES, gpus.size()),
            log -> Nvml.of(driver, log),
            clock::nanos,
            clock);
    TickClasses classes = TickClasses.of(fleet.ticks());
    host =
        new HostModel(
            place.hostname(), place.number(), classes, isForDetectors, fleet.seed(), first);
    xids = new XidCounts(() -> time);
    processes = new OwnerReadout(place.number(), gpus, classes.core());
    Duration limit = fleet.tick().dividedBy(3);
    own(new GpuSampling(thread, classes, limit), classes, kept);
    own(new GpuReport(thread, classes.core(), classes.other()), classes, kept);
    own(
        new XidSampling(
            xids,
            new XidCounts(() -> time),
            SimulatedLog.ALL,
            lines,
            thread::gpus,
            classes.core(),
            () -> time),
        classes,
        kept);
    own(new Allocation(gpus, classes.core(), this::owner, this::sharers), classes, kept);
    own(processes, classes, kept);
    table = isForDetectors ? Optional.empty() : Optional.of(new SimulatedProcesses());
    for (SimulatedProcesses each : table.stream().toList()) {
      each.readers(thread, classes.core()).forEach(reader -> own(reader, classes, kept));
    }
    List<Reader> readers = new ArrayList<>(host.readers());
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

  private void own(Reader reader, TickClasses classes, Predicate<Labels> kept) {
    owned.add(new AttributedReader(reader, classes.constant(), this::owner, kept));
  }

  @Override
  public String hostname() {
    return place.hostname();
  }

  @Override
  public Optional<Tick> tick(long newTime) throws InterruptedException {
    double seconds = (newTime - time) / 1_000.0;
    time = newTime;
    List<Incident> now = incidents.stream().filter(incident -> incident.isAt(time)).toList();
    host.turnTo(time, turnGpus(now, seconds), now);
    Optional<Incident> hung = first(now, Fault.HUNG_DRIVER);
    driver.hangUntil(
        hung.map(incident -> OptionalLong.of(incident.to() * NANOS)).orElse(OptionalLong.empty()));
    clock.turnTo(time * NANOS);
    Tick tick = sampler.readAt(time);
    return first(now, Fault.SILENT).isPresent() ? Optional.empty() : Optional.of(tick);
  }

  private static Optional<Incident> first(List<Incident> incidents, Fault fault) {
    return incidents.stream().filter(incident -> incident.fault() == fault).findFirst();
  }

  /** Goes on with jobs and faults; answers what the jobs do on the host. */
  private HostLoad turnGpus(List<Incident> now, double seconds) {
    List<List<Labels>> before = List.copyOf(owners);
    List<List<Labels>> sharedBefore = List.copyOf(sharers);
    owners.clear();
    sharers.clear();
    played.clear();
    memory.clear();
    processes.begin();
    Map<Long, JobPlay> playing = new HashMap<>();
    HostLoad load = HostLoad.of(0);
    for (int index = 0; index < gpus.size(); index++) {
      SimulatedGpu gpu = gpus.get(index);
      int number = index;
      List<Incident> ofGpu =
          now.stream().filter(incident -> incident.isOf(place.number(), number, time)).toList();
      boolean isHeld = first(ofGpu, Fault.MEMORY_HELD).isPresent();
      List<Work> work = new ArrayList<>();
      List<Labels> labels = new ArrayList<>();
      List<Job> sharing =
          gpu.instances() > 0 || isHeld ? List.of() : jobs.sharers(place, index, time);
      List<List<Job>> jobsOfParts = new ArrayList<>();
      for (int part = 0; part < Math.max(1, gpu.instances()); part++) {
        int instance = gpu.instances() > 0 ? part : -1;
        Optional<JobPlay> play =
            isHeld ? Optional.empty() : play(jobs.on(place, index, instance, time), playing);
        Activity activity =
            play.map(of -> of.of(of.job().rank(place.number(), number))).orElse(Activity.NONE);
        Labels owner = OwnerLabels.labels(place, index, part, play.map(JobPlay::job));
        labels.add(owner);
        work.add(activity.work());
        jobsOfParts.add(play.map(of -> List.of(of.job())).orElse(List.of()));
        Labels ofProcess = activity.work().held() ? owner : Labels.EMPTY;
        table.ifPresent(of -> of.own(number, Math.max(0, instance), ofProcess, time));
        load = load.and(activity, Math.max(1, gpu.instances()));
        if (sharing.isEmpty()) {
          remember(index, part, ofProcess, activity.cores(), Math.max(1, gpu.instances()));
        }
        if (part == 0) {
          boolean isUnowned = isHeld && gpu.index() % 2 == 0;
          processes.add(activity, play, isUnowned, seconds);
        }
      }
      share(index, sharing, labels, jobsOfParts);
      owners.add(List.copyOf(labels));
      gpu.turnTo(time, work, ofGpu);
      for (int part = 0; part < work.size(); part++) {
        boolean isWhole = gpu.instances() == 0;
        played.add(
            new PlayedDevice(
                gpu.uuid(),
                isWhole ? 0 : part + 1,
                jobsOfParts.get(part),
                isWhole ? gpu.utilisation() : 100 * work.get(part).busy(),
                gpu.milliwatts(),
                gpu.limitMilliwatts(),
                gpu.millijoules(),
                gpu.usedBytes(isWhole ? -1 : part)));
      }
      report(gpu, index, ofGpu);
    }
    processes.useMemory(memory.values());
    plays.keySet().retainAll(playing.keySet());
    if (!owners.equals(before) || !sharers.equals(sharedBefore)) {
      owned.forEach(AttributedReader::forgetOwners);
    }
    return load;
  }

  /** An owner without labels is nobody. */
  private void remember(int gpu, int part, Labels owner, double cores, int parts) {
    if (!owner.isEmpty()) {
      memory.merge(
          owner, PlayedMemory.of(gpu * MOST_PARTS + part, owner, cores, parts), PlayedMemory::plus);
    }
  }

  /** Gives a GPU to several jobs, if there are such. */
  private void share(int index, List<Job> sharing, List<Labels> labels, List<List<Job>> ofParts) {
    gpus.get(index).share(Math.max(1, sharing.size()));
    List<Labels> each = new ArrayList<>();
    for (int slot = 0; slot < sharing.size(); slot++) {
      int number = slot;
      Labels owner = OwnerLabels.labels(place, index, slot, Optional.of(sharing.get(slot)));
      each.add(owner);
      table.ifPresent(of -> of.own(index, number, owner, time));
      remember(index, slot, owner, 0, sharing.size());
    }
    sharers.add(List.copyOf(each));
    if (!sharing.isEmpty()) {
      labels.set(0, OwnerLabels.common(each));
      ofParts.set(0, List.copyOf(sharing));
    }
  }

  /** What has been played at the last tick. */
  public List<PlayedDevice> played() {
    return List.copyOf(played);
  }

  /** Memory of the host that has been played at the last tick. */
  List<PlayedMemory> playedMemory() {
    return List.copyOf(memory.values());
  }

  /** A job, played to the time of the tick; none if another fault has ended it. */
  private Optional<JobPlay> play(Optional<Job> job, Map<Long, JobPlay> playing) {
    if (job.isEmpty()) {
      return Optional.empty();
    }
    JobPlay play =
        playing.computeIfAbsent(
            job.get().number(),
            number -> {
              JobPlay of = plays.computeIfAbsent(number, none -> new JobPlay(job.get(), all));
              of.turnTo(time);
              return of;
            });
    return play.hasEnded() ? Optional.empty() : Optional.of(play);
  }

  /** The driver reports XIDs of faults that begin, and some again while they last. */
  private void report(SimulatedGpu gpu, int index, List<Incident> now) {
    Set<Fault> newFaults = EnumSet.noneOf(Fault.class);
    for (Incident incident : now) {
      Fault fault = incident.fault();
      newFaults.add(fault);
      boolean begins = !faults.get(index).contains(fault);
      boolean repeats = REPEATED.contains(fault) && time - reportedAt[index] >= REPEAT_MILLIS;
      if (fault.xid() > 0 && (begins || repeats)) {
        xids.count(gpu.address(), fault.xid());
        String line = "NVRM: Xid (PCI:" + gpu.address() + "): " + fault.xid() + ", simulated";
        lines.see(KernelLines.Kind.XID, gpu.address(), fault.xid(), line, time, time);
        reportedAt[index] = time;
      }
    }
    faults.set(index, newFaults);
  }

  /** Labels of who has the GPU or instance that a series is of. */
  private Labels owner(Labels series) {
    String gpu = series.value("gpu");
    if (gpu.isEmpty()) {
      return Labels.EMPTY;
    }
    if (!series.value(GpuOwners.SLOT).isEmpty() && !sharers(series).isEmpty()) {
      return sharers(series).stream().filter(of -> isOf(series, of)).findFirst().orElseThrow();
    }
    String instance = series.value("GPU_I_ID");
    List<Labels> ofGpu = owners.get(Integer.parseInt(gpu));
    if (ofGpu.size() > 1 && instance.isEmpty()) {
      return Labels.EMPTY; // only its instances have owners
    }
    return ofGpu.get(instance.isEmpty() ? 0 : Integer.parseInt(instance) - 1);
  }

  private List<Labels> sharers(Labels series) {
    return sharers.get(Integer.parseInt(series.value("gpu")));
  }

  /** Tells whether a series that names an owner names this one. */
  private static boolean isOf(Labels series, Labels owner) {
    String job = series.value("hpc_job");
    return job.isEmpty()
        ? series.value("pod").equals(owner.value("pod"))
        : job.equals(owner.value("hpc_job"));
  }

  @Override
  public void close() {
    clock.close();
    sampler.close();
    thread.close();
    table.ifPresent(SimulatedProcesses::close);
  }
}
