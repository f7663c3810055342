package io.fleetgauge.load.nodes.driver;

/**
 * A kind of GPU board with its driver. The figures are those that such boards show, idle and under
 * load.
 */
public enum Board {
  H100(
      "NVIDIA H100 80GB HBM3",
      "590.48.01",
      9,
      new Memory(81_559, 479, 2619),
      new Watts(71, 700),
      new Megahertz(345, 1980),
      new Slots(5, 18, 8)),
  H200(
      "NVIDIA H200",
      "590.48.01",
      9,
      new Memory(143_771, 615, 3201),
      new Watts(79, 700),
      new Megahertz(345, 1980),
      new Slots(5, 18, 8)),
  GB200(
      "NVIDIA GB200",
      "590.48.01",
      10,
      new Memory(189_471, 640, 3996),
      new Watts(160, 1200),
      new Megahertz(345, 2062),
      new Slots(6, 18, 4)),
  A100(
      "NVIDIA A100-SXM4-80GB",
      "535.183.06",
      7,
      new Memory(81_920, 619, 1593),
      new Watts(62, 400),
      new Megahertz(210, 1410),
      new Slots(4, 12, 8)),
  L40S(
      "NVIDIA L40S",
      "590.48.01",
      8,
      new Memory(46_068, 609, 9001),
      new Watts(36, 350),
      new Megahertz(210, 2520),
      new Slots(4, 0, 8));

  private static final int AMPERE = 7;
  private static final int HOPPER = 9;
  private static final int BLACKWELL = 10;
  private static final int FIELDS_OF_570 = 570;

  private final String model;
  private final String driver;
  final int architecture;
  final long memoryMib;
  final long reservedMib;
  final double idleWatts;
  final double limitWatts;
  final int idleMegahertz;
  final int mostMegahertz;
  final int memoryMegahertz;
  final int pcieGeneration;
  final int links;
  private final int perNode;

  /** MiB of the memory, and its clock. */
  private record Memory(long mib, long reservedMib, int megahertz) {}

  /** Power without load, and at most. */
  private record Watts(double idle, double limit) {}

  /** Clock without load, and at most. */
  private record Megahertz(int idle, int most) {}

  /** Places of boards: generation of PCIe, links between them, boards in a node. */
  private record Slots(int pcieGeneration, int links, int perNode) {}

  Board(
      String model,
      String driver,
      int architecture,
      Memory memory,
      Watts watts,
      Megahertz clock,
      Slots slots) {
    this.model = model;
    this.driver = driver;
    this.architecture = architecture;
    this.memoryMib = memory.mib;
    this.reservedMib = memory.reservedMib;
    this.memoryMegahertz = memory.megahertz;
    this.idleWatts = watts.idle;
    this.limitWatts = watts.limit;
    this.idleMegahertz = clock.idle;
    this.mostMegahertz = clock.most;
    this.pcieGeneration = slots.pcieGeneration;
    this.links = slots.links;
    this.perNode = slots.perNode;
  }

  public String model() {
    return model;
  }

  public String driver() {
    return driver;
  }

  /** Number of its NVLinks. */
  public int links() {
    return links;
  }

  /** Number of boards in a node. */
  public int perNode() {
    return perNode;
  }

  /** Tells whether the driver profiles it. */
  boolean hasProfiling() {
    return architecture >= HOPPER;
  }

  /** Tells whether it is in a fabric of switches that a fabric manager leads. */
  public boolean hasFabric() {
    return architecture >= HOPPER;
  }

  /**
   * Tells whether its links count recoveries and effective errors, and not those of links before.
   */
  boolean hasNvlink5() {
    return architecture >= BLACKWELL && links > 0;
  }

  /** Tells whether its memory is stacked beside the die and has a sensor. */
  boolean hasMemorySensor() {
    return links > 0;
  }

  /** Tells whether it has temperatures of slowdown and shutdown; newer boards have margins. */
  boolean hasThresholds() {
    return architecture == AMPERE || architecture >= HOPPER;
  }

  /** Tells whether the driver reports the margins at which it acts; an H200 has none (580.159). */
  boolean hasLimitsOfMargin() {
    return hasMargin() && architecture != HOPPER;
  }

  /** Tells whether the driver reports the thermal margin and the recovery that it asks for. */
  public boolean hasMargin() {
    return Integer.parseInt(driver.substring(0, 3)) >= FIELDS_OF_570;
  }
}
