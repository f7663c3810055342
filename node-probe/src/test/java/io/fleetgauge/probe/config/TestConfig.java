package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigException;
import java.nio.file.Path;

/** Configurations of tests, from texts without mistakes. */
public final class TestConfig {
  private TestConfig() {}

  /** The keys of a text, and the defaults of all others. */
  public static ProbeConfig of(String yaml) {
    try {
      return ProbeConfig.read("test", yaml);
    } catch (ConfigException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * A host whose file systems are at other places.
   *
   * @param more further keys below {@code host}, each with its value
   */
  public static HostSettings host(Path proc, Path sys, Path root, String... more) {
    String places = "proc: \"%s\", sys: \"%s\", rootfs: \"%s\"".formatted(proc, sys, root);
    String all = more.length == 0 ? places : places + ", " + String.join(", ", more);
    return of("host: {" + all + "}").host();
  }
}
