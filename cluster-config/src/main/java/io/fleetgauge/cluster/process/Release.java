package io.fleetgauge.cluster.process;

/** Which release this program is. */
public final class Release {
  /** As in the names of archives and packages. */
  public static final String VERSION = "0.1.0";

  private Release() {}
}
