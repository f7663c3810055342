package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.key.ConfigException;

/** Knows what to look at of one kind of process; found by {@link java.util.ServiceLoader}. */
public interface Examination {
  /** As its command is called, such as {@code gateway}. */
  String process();

  /**
   * Reads a configuration.
   *
   * @param source what messages call the text
   * @throws ConfigException with every problem of the text
   */
  Examined read(String source, String yaml) throws ConfigException;
}
