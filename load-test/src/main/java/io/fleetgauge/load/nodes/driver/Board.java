package io.fleetgauge.load.nodes.driver;

/**
 * A kind of GPU board with its driver. The figures are those that such boards show, idle and under
 * load.
 */
public enum Board {
  H100("NVIDIA H100 80GB HBM3", "590.48.01", 9, 81_559, 479, 71, 700, 345, 1980, 2619, 5, 18, 8),
  H200("NVIDIA H200", "590.48.01", 9, 143_771, 614, 78, 700, 345, 1980, 3201, 5, 18, 8),
  GB200("NVIDIA GB200", "590.48.01", 10, 189_471, 640, 160, 1200, 345, 2062, 3996, 6, 18, 4),
  A100("NVIDIA A100-SXM4-80GB", "535.183.06", 7, 81_920, 619, 62, 400, 210, 1410, 1593, 4, 12, 8),
  L40S("NVIDIA L40S", "590.48.01", 8, 46_068, 609, 36, 350, 210, 2520, 9001, 4, 0, 8);

  private static final int AMPERE = 7;
  private static final int HOPPER = 9;
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

  Board(
      String model,
      String driver,
      int architecture,
      long memoryMib,
      long reservedMib,
      double idleWatts,
      double limitWatts,
      int idleMegahertz,
      int mostMegahertz,
      int memoryMegahertz,
      int pcieGeneration,
      int links,
      int perNode) {
    this.model = model;
    this.driver = driver;
    this.architecture = architecture;
    this.memoryMib = memoryMib;
    this.reservedMib = reservedMib;
    this.idleWatts = idleWatts;
    this.limitWatts = limitWatts;
    this.idleMegahertz = idleMegahertz;
    this.mostMegahertz = mostMegahertz;
    this.memoryMegahertz = memoryMegahertz;
    this.pcieGeneration = pcieGeneration;
    this.links = links;
    this.perNode = perNode;
  }

  public String model() {
    return model;
  }

  public String driver() {
    return driver;
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
  boolean hasFabric() {
    return architecture >= HOPPER;
  }

  /** Tells whether its memory is stacked beside the die and has a sensor. */
  boolean hasMemorySensor() {
    return links > 0;
  }

  /** Tells whether it has temperatures of slowdown and shutdown; newer boards have margins. */
  boolean hasThresholds() {
    return architecture == AMPERE || architecture >= HOPPER;
  }

  /** Tells whether the driver reports the thermal margin and the recovery that it asks for. */
  boolean hasMargin() {
    return Integer.parseInt(driver.substring(0, 3)) >= FIELDS_OF_570;
  }
}
