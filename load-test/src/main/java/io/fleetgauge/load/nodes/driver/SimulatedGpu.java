package io.fleetgauge.load.nodes.driver;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * One GPU: what it does, and what follows from that. A busy GPU draws power, warms up slowly,
 * counts energy, moves data; faults change some of it. Not for several threads at once.
 */
public final class SimulatedGpu {
  /** Bits of NVML's mask of clock event reasons. */
  static final int IDLE = 0;

  static final int POWER_CAP = 2;
  static final int HARDWARE = 3;
  static final int SOFTWARE_THERMAL = 5;
  static final int HARDWARE_THERMAL = 6;
  static final int POWER_BRAKE = 7;

  /** Memory of a GPU instance of three slices of seven, MiB. */
  static final long INSTANCE_MIB = 40_448;

  static final int INSTANCE_SLICES = 3;
  static final double SLOWDOWN_CELSIUS = 87;
  private static final double AMBIENT_CELSIUS = 27;
  private static final double WARMING_SECONDS = 60;
  private static final double KIB = 1024;
  private static final double NANOS = 1e9;
  private static final double HOUR_MILLIS = 3_600_000;
  private static final long DAY_MILLIS = 86_400_000;
  private static final double HELD_MIB = 9_000;

  /** Bytes/s of an NVLink under full load, both ways. */
  private static final double LINK_BYTES = 9e9;

  /** Part of the days on which a healthy link recovers once. */
  private static final double SELDOM = 0.02;

  /** Recoveries of a link on the first day of its trend. */
  private static final double TREND_BEGINS = 10;

  private static final int IDLE_VIDEO = 765;

  private static final Set<Fault> UNCORRECTED =
      EnumSet.of(Fault.UNCORRECTABLE, Fault.CONTAINED, Fault.UNCONTAINED);

  final Board board;
  final int index;
  final String uuid;

  /** Number of GPU instances that it is divided into; 0 for none. */
  final int instances;

  private final long seed;
  private final Set<Fault> faults = EnumSet.noneOf(Fault.class);
  private final List<Incident> incidents = new ArrayList<>();
  private final List<Work> work = new ArrayList<>();
  private long last = Long.MIN_VALUE;
  private long time;

  /** Processes that share it, each with the same part of the memory. */
  private int sharers = 1;

  private double utilisation;
  private double watts;
  private double celsius;
  private double megahertz;
  private double usedMib;
  private int reasons;
  private double millijoules;
  private double sentKib;
  private double receivedKib;
  private double pcieSent;
  private double pcieReceived;
  private double linkPerSecond;
  private double pciePerSecond;
  private double corrected;
  private double uncorrected;
  private double replays;
  private final double[] linkReplays;
  private final double[] linkRecoveries;
  private final double[] linkCrcErrors;
  private final boolean[] linkIsDown;
  private final double[] reasonNanos = new double[POWER_BRAKE + 1];

  /**
   * @param instances GPU instances that it is divided into; 0 for none
   */
  public SimulatedGpu(Board board, int index, String uuid, int instances, long seed) {
    this.board = board;
    this.index = index;
    this.uuid = uuid;
    this.instances = instances;
    this.seed = seed;
    celsius = AMBIENT_CELSIUS + board.idleWatts * degreesPerWatt();
    millijoules = Math.rint(Noise.of(seed, 1, 0) * (1L << 42));
    sentKib = Math.rint(Noise.of(seed, 2, 0) * (1L << 40));
    receivedKib = sentKib;
    pcieSent = Math.rint(Noise.of(seed, 3, 0) * (1L << 45));
    pcieReceived = pcieSent;
    corrected = Noise.below(40, seed, 4, 0);
    linkReplays = new double[board.links];
    linkRecoveries = new double[board.links];
    linkCrcErrors = new double[board.links];
    linkIsDown = new boolean[board.links];
  }

  private double degreesPerWatt() {
    // A board of 700 W is 59 degrees warm at 632 W, one of 350 W 63 at 145 W.
    return 35 / board.limitWatts;
  }

  /** Its number in the node, from 0. */
  public int index() {
    return index;
  }

  public String uuid() {
    return uuid;
  }

  /** The most power that it may draw. */
  public long limitMilliwatts() {
    return Math.round(board.limitWatts * 1000);
  }

  public String model() {
    return board.model();
  }

  /** Its place on the PCI bus, as NVML writes it. */
  public String address() {
    return String.format("00000000:%02X:00.0", 0x1b + index * 0x11);
  }

  /** The GPU instances that it is divided into; 0 for none. */
  public int instances() {
    return instances;
  }

  /**
   * Goes on to a time.
   *
   * @param millis since the epoch; must ascend
   * @param newWork of the whole GPU, or of each instance
   * @param newIncidents that the GPU has then
   */
  public void turnTo(long millis, List<Work> newWork, List<Incident> newIncidents) {
    double seconds = last == Long.MIN_VALUE ? 0 : (millis - last) / 1000.0;
    boolean begins = last != Long.MIN_VALUE;
    time = millis;
    Set<Fault> before = EnumSet.noneOf(Fault.class);
    before.addAll(faults);
    faults.clear();
    incidents.clear();
    for (Incident incident : newIncidents) {
      incidents.add(incident);
      faults.add(incident.fault());
      boolean isNew = begins && !before.contains(incident.fault());
      if (isNew && UNCORRECTED.contains(incident.fault())) {
        uncorrected += 2;
      }
      if (isNew && incident.fault() == Fault.DRIVER_LOADED) {
        millijoules = 0;
      }
    }
    work.clear();
    work.addAll(newWork);
    state(seconds);
    count(seconds);
    countLinks(seconds);
    last = millis;
  }

  private void state(double seconds) {
    double busy = 0;
    double power = 0;
    double memory = 0;
    double clock = 0;
    double links = 0;
    double pcie = 0;
    boolean held = false;
    for (Work of : work) {
      double share = 1.0 / work.size();
      busy += of.busy() * share;
      power += of.power() * share;
      memory += of.memory() * share;
      clock += of.clock() * share;
      links += of.links() * share;
      pcie += of.pcie() * share;
      held |= of.held();
    }
    utilisation = Math.clamp(Math.rint(100 * busy), 0, 100);
    double brake = has(Fault.POWER_BRAKE) || has(Fault.THERMAL_SLOWDOWN) ? 0.8 : 1;
    watts = board.idleWatts + (board.limitWatts - board.idleWatts) * power * brake + noise(12);
    watts = Math.min(watts, board.limitWatts);
    double target = AMBIENT_CELSIUS + watts * degreesPerWatt();
    if (has(Fault.HOT_DIE) || has(Fault.THERMAL_SLOWDOWN) || has(Fault.SOFTWARE_THERMAL)) {
      target = 90;
    }
    celsius += (target - celsius) * Math.min(1, seconds / WARMING_SECONDS);
    double busyClock = clock * (board.mostMegahertz - 15 * Noise.below(2, seed, 13, time));
    // A process that holds the GPU keeps its clock up, also while no kernel runs.
    boolean rests = busy == 0 && !held;
    megahertz = rests || has(Fault.STUCK_STATE) ? board.idleMegahertz : busyClock;
    megahertz = Math.rint(megahertz * (busy > 0 && brake < 1 ? 0.7 : 1) / 15) * 15;
    double usable = board.memoryMib - board.reservedMib;
    usedMib = held ? Math.rint(usable * Math.max(memory, 0.006)) : 4;
    usedMib = has(Fault.MEMORY_HELD) ? HELD_MIB : usedMib;
    for (Incident incident : incidents) {
      if (incident.fault() == Fault.MEMORY_LEAK && held) {
        double leaked = incident.amount() * (time - incident.from()) / HOUR_MILLIS;
        usedMib = Math.min(usable, usedMib + Math.rint(leaked));
      }
    }
    linkPerSecond = board.links * LINK_BYTES * links;
    pciePerSecond = pcie;
    reasons = bit(IDLE, rests);
    reasons |= bit(POWER_CAP, watts > 0.97 * board.limitWatts);
    reasons |= bit(HARDWARE, has(Fault.THERMAL_SLOWDOWN) || has(Fault.POWER_BRAKE));
    reasons |= bit(SOFTWARE_THERMAL, has(Fault.SOFTWARE_THERMAL));
    reasons |= bit(HARDWARE_THERMAL, has(Fault.THERMAL_SLOWDOWN));
    reasons |= bit(POWER_BRAKE, has(Fault.POWER_BRAKE));
  }

  private void count(double seconds) {
    millijoules += Math.rint(watts * seconds * 1000);
    sentKib += Math.rint(linkPerSecond / 2 * seconds / KIB);
    receivedKib += Math.rint(linkPerSecond / 2 * seconds / KIB);
    pcieSent += Math.rint(pciePerSecond / 3 * seconds);
    pcieReceived += Math.rint(pciePerSecond * seconds);
    for (Incident incident : incidents) {
      if (incident.fault() == Fault.CORRECTABLE) {
        corrected += Math.rint(incident.amount() * seconds);
      }
    }
    replays += has(Fault.REPLAYS) ? Math.rint(4 * seconds) : 0;
    for (int i = 0; i < reasonNanos.length; i++) {
      reasonNanos[i] += (reasons >> i & 1) * Math.rint(0.6 * seconds * NANOS);
    }
  }

  private void countLinks(double seconds) {
    long day = Math.floorDiv(time, DAY_MILLIS);
    for (int link = 0; link < board.links; link++) {
      linkIsDown[link] = false;
      // A healthy link recovers now and then.
      double at = Noise.of(seed, 400 + link, day) / SELDOM;
      double ofDay = (double) (time - day * DAY_MILLIS) / DAY_MILLIS;
      boolean passes = ofDay >= at && ofDay - seconds * 1_000 / DAY_MILLIS < at;
      linkRecoveries[link] += passes && seconds > 0 ? 1 : 0;
    }
    for (Incident incident : incidents) {
      int link = board.links == 0 ? 0 : incident.part() % board.links;
      if (board.links == 0) {
        return;
      }
      switch (incident.fault()) {
        case LINK_ERRORS, STRAGGLER_LINK -> {
          linkReplays[link] += Math.rint(seconds);
          linkRecoveries[link] += Math.rint(seconds / 5);
          linkCrcErrors[link] += Math.rint(seconds / 2);
        }
        case LINK_TREND ->
            linkRecoveries[link] += trend(incident, time) - trend(incident, last(seconds));
        case LINK_DOWN -> linkIsDown[link] = true;
        default -> {}
      }
    }
  }

  private long last(double seconds) {
    return time - Math.round(seconds * 1_000);
  }

  /** Recoveries of a link since the trend began: so many on the first day, and ever more. */
  private static double trend(Incident incident, long until) {
    double days = Math.max(0, until - incident.from()) / (double) DAY_MILLIS;
    double growth = Math.log(incident.amount());
    return Math.floor(TREND_BEGINS * Math.expm1(days * growth) / growth);
  }

  private static int bit(int number, boolean is) {
    return is ? 1 << number : 0;
  }

  private double noise(int what) {
    return Noise.of(seed, what, time);
  }

  boolean has(Fault fault) {
    return faults.contains(fault);
  }

  /** Percent. */
  public int utilisation() {
    return (int) utilisation;
  }

  int memoryUtilisation() {
    double dram = 0;
    for (Work of : work) {
      dram += of.dram() / work.size();
    }
    return (int) (80 * dram);
  }

  public long milliwatts() {
    return Math.round((has(Fault.WRONG_POWER) ? 1.4 * board.limitWatts : watts) * 1000);
  }

  public long millijoules() {
    return (long) millijoules;
  }

  int celsius() {
    return (int) Math.rint(celsius);
  }

  int memoryCelsius() {
    return has(Fault.HOT_MEMORY) ? 99 : (int) Math.rint(celsius + 3);
  }

  int megahertz() {
    return (int) megahertz;
  }

  /** Of the video engines; idle boards of Hopper and later keep 765 MHz. */
  int videoMegahertz() {
    double clock = Math.rint(0.78 * megahertz / 15) * 15;
    return (int) (board.hasProfiling() ? Math.max(IDLE_VIDEO, clock) : clock);
  }

  int reasons() {
    return reasons;
  }

  long reasonNanos(int bit) {
    return (long) reasonNanos[bit];
  }

  /** Belongs to the GPU, or to one instance of it. */
  long usedMib(int instance) {
    if (instance < 0) {
      return (long) usedMib;
    }
    double share = work.size() > instance ? work.get(instance).memory() : 0;
    return (long) Math.rint(4 + (INSTANCE_MIB - 8) * share);
  }

  /** As many processes share it from now on. */
  public void share(int processes) {
    sharers = processes;
  }

  /** Memory that is used, of the GPU or of an instance, from 0. */
  public long usedBytes(int instance) {
    return usedMib(instance) << 20;
  }

  /** Processes that compute, on the GPU or one instance. */
  int processes(int instance) {
    if (has(Fault.MEMORY_HELD) || instances > 0 && instance < 0) {
      return 0;
    }
    return work.get(Math.max(0, instance)).held() ? sharers : 0;
  }

  long sentKib() {
    return (long) sentKib;
  }

  long receivedKib() {
    return (long) receivedKib;
  }

  long pcieSent() {
    return (long) pcieSent;
  }

  long pcieReceived() {
    return (long) pcieReceived;
  }

  long corrected() {
    return (long) corrected;
  }

  long uncorrected() {
    return (long) uncorrected;
  }

  long replays() {
    return (long) replays;
  }

  /** Of a link, or of all of them. */
  long linkReplays(int link) {
    return of(linkReplays, link);
  }

  long linkRecoveries(int link) {
    return of(linkRecoveries, link);
  }

  long linkCrcErrors(int link) {
    return of(linkCrcErrors, link);
  }

  boolean isActive(int link) {
    return link < 0 || link >= linkIsDown.length || !linkIsDown[link];
  }

  private static long of(double[] counts, int link) {
    if (link >= 0) {
      return link < counts.length ? (long) counts[link] : 0;
    }
    double sum = 0;
    for (double count : counts) {
      sum += count;
    }
    return (long) sum;
  }

  /** The condition of the fabric that is not met, from 1; 0 if all are. */
  int fabricFault() {
    for (Incident incident : incidents) {
      if (incident.fault() == Fault.FABRIC) {
        return (int) incident.amount();
      }
    }
    return 0;
  }

  boolean isIdle() {
    return utilisation == 0;
  }

  /** GPM's value of a number: percent or MiB per second; NaN for one that it lacks. */
  double profile(int id, int instance) {
    Work of = work.isEmpty() ? Work.NONE : work.get(Math.max(0, instance) % work.size());
    double busy = instance < 0 ? utilisation / 100 : of.busy();
    return switch (id) {
      case 1 -> 100 * busy;
      case 2 -> 100 * of.active();
      case 3 -> 45 * of.active();
      case 4 -> 8 * of.active();
      case 5, 7 -> 100 * of.tensor();
      case 10 -> 100 * of.dram();
      case 12 -> 6 * of.active();
      case 13 -> 11 * of.active();
      case 6, 9, 11, 30, 31, 32, 33, 34, 35, 36, 37, 40, 41, 42, 43, 44, 45, 46, 47, 50, 51 -> 0;
      case 100, 101, 102, 103 -> 0;
      case 20 -> pciePerSecond / 3 / (1 << 20);
      case 21 -> pciePerSecond / (1 << 20);
      case 60, 61 -> linkPerSecond / 2 / (1 << 20);
      default -> Double.NaN;
    };
  }
}
