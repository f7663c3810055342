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

  final Board board;
  final int index;
  final String uuid;

  /** Number of GPU instances that it is divided into; 0 for none. */
  final int instances;

  private final long seed;
  private final Set<Fault> faults = EnumSet.noneOf(Fault.class);
  private final List<Work> work = new ArrayList<>();
  private long last = Long.MIN_VALUE;
  private long time;

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
  private double linkReplays;
  private double linkRecoveries;
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
  }

  private double degreesPerWatt() {
    // A board of 700 W is 59 degrees warm at 632 W, one of 350 W 63 at 145 W.
    return 35 / board.limitWatts;
  }

  public String uuid() {
    return uuid;
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
   */
  public void turnTo(long millis, List<Work> newWork, Set<Fault> newFaults) {
    double seconds = last == Long.MIN_VALUE ? 0 : (millis - last) / 1000.0;
    boolean begins = last != Long.MIN_VALUE;
    last = millis;
    time = millis;
    if (begins
        && newFaults.contains(Fault.UNCORRECTABLE)
        && !faults.contains(Fault.UNCORRECTABLE)) {
      uncorrected += 2;
    }
    faults.clear();
    faults.addAll(newFaults);
    work.clear();
    work.addAll(newWork);
    state(seconds);
    count(seconds);
  }

  private void state(double seconds) {
    double intensity = 0;
    double memory = 0;
    boolean linked = false;
    for (Work of : work) {
      intensity += of.intensity() / work.size();
      memory += of.memory() / work.size();
      linked |= of.linked();
    }
    boolean idle = has(Fault.IDLE_ALLOCATION) || has(Fault.MEMORY_HELD);
    if (idle) {
      intensity = 0;
    }
    boolean hangs = has(Fault.HANG) && intensity > 0;
    boolean slow = has(Fault.STRAGGLER) && intensity > 0;
    utilisation = hangs ? 100 : Math.clamp(Math.rint(100 * intensity + noise(10) * 6 - 3), 0, 100);
    utilisation = intensity == 0 ? 0 : utilisation;
    double share = hangs ? 0.2 : intensity * (0.86 + 0.04 * noise(11)) * (slow ? 0.55 : 1);
    double brake = has(Fault.POWER_BRAKE) || has(Fault.THERMAL_SLOWDOWN) ? 0.8 : 1;
    watts = board.idleWatts + (board.limitWatts - board.idleWatts) * share * brake + noise(12);
    watts = Math.min(watts, board.limitWatts);
    double target = AMBIENT_CELSIUS + watts * degreesPerWatt();
    if (has(Fault.HOT) || has(Fault.THERMAL_SLOWDOWN) || has(Fault.SOFTWARE_THERMAL)) {
      target = 90;
    }
    celsius += (target - celsius) * Math.min(1, seconds / WARMING_SECONDS);
    double busyClock = board.mostMegahertz - 15 * Noise.below(2, seed, 13, time);
    megahertz = intensity == 0 ? board.idleMegahertz : slow ? 0.68 * busyClock : busyClock;
    megahertz = Math.rint(megahertz * (intensity > 0 && brake < 1 ? 0.7 : 1) / 15) * 15;
    double usable = board.memoryMib - board.reservedMib;
    usedMib = intensity == 0 && !idle ? 4 : Math.rint(usable * Math.max(memory, 0.006));
    if (has(Fault.UNEVEN_MEMORY)) {
      usedMib = Math.rint(usedMib * 0.3);
    }
    if (has(Fault.MEMORY_HELD)) {
      usedMib = 9_000;
    }
    boolean moves = intensity > 0 && !hangs;
    linkPerSecond = moves && linked ? board.links * 9e9 * intensity * (0.9 + noise(14) / 5) : 0;
    pciePerSecond = moves ? 6e9 * intensity * (0.9 + noise(15) / 5) : 0;
    reasons = bit(IDLE, intensity == 0);
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
    corrected += has(Fault.CORRECTABLE) ? Math.rint(3 * seconds) : 0;
    replays += has(Fault.REPLAYS) ? Math.rint(4 * seconds) : 0;
    linkReplays += has(Fault.LINK_ERRORS) ? Math.rint(seconds) : 0;
    linkRecoveries += has(Fault.LINK_ERRORS) ? Math.rint(seconds / 5) : 0;
    for (int i = 0; i < reasonNanos.length; i++) {
      reasonNanos[i] += (reasons >> i & 1) * Math.rint(0.6 * seconds * NANOS);
    }
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

  int utilisation() {
    return (int) utilisation;
  }

  int memoryUtilisation() {
    return has(Fault.HANG) ? 0 : (int) (utilisation * 0.4);
  }

  long milliwatts() {
    return Math.round(watts * 1000);
  }

  long millijoules() {
    return (long) millijoules;
  }

  int celsius() {
    return (int) Math.rint(celsius);
  }

  int memoryCelsius() {
    return has(Fault.MEMORY_HOT) ? 99 : (int) Math.rint(celsius + 3);
  }

  int megahertz() {
    return (int) megahertz;
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

  /** Processes that compute, on the GPU or one instance. */
  int processes(int instance) {
    if (has(Fault.MEMORY_HELD) || instances > 0 && instance < 0) {
      return 0;
    }
    return work.get(Math.max(0, instance)).isAny() ? 1 : 0;
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

  long linkReplays() {
    return (long) linkReplays;
  }

  long linkRecoveries() {
    return (long) linkRecoveries;
  }

  /** GPM's value of a number: percent or MiB per second; NaN for one that it lacks. */
  double profile(int id, int instance) {
    double busy = utilisation / 100;
    if (instance >= 0) {
      busy = work.size() > instance ? work.get(instance).intensity() : 0;
    }
    double useful = has(Fault.HANG) ? 0 : busy;
    double wobble = 0.97 + 0.03 * Noise.of(seed, 100 + id, time);
    double percent = 100 * useful * wobble;
    return switch (id) {
      case 1 -> 100 * busy;
      case 2 -> 0.92 * percent;
      case 3 -> 0.41 * percent;
      case 4 -> 0.08 * percent;
      case 5, 7 -> 0.52 * percent;
      case 10 -> 0.47 * percent;
      case 12 -> 0.06 * percent;
      case 13 -> 0.11 * percent;
      case 6, 9, 11, 30, 31, 32, 33, 34, 35, 36, 37, 40, 41, 42, 43, 44, 45, 46, 47, 50 -> 0;
      case 20 -> pciePerSecond / 3 / (1 << 20);
      case 21 -> pciePerSecond / (1 << 20);
      case 60, 61 -> linkPerSecond / 2 / (1 << 20);
      default -> Double.NaN;
    };
  }
}
