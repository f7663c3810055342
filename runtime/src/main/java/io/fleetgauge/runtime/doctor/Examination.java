package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.key.ConfigException;

/** Describes processes of one kind to doctor; found by {@link java.util.ServiceLoader}. */
public interface Examination {
  /** As its command is called, such as {@code gateway}. */
  String process();

  /**
   * Reads a configuration.
   *
   * @param source what messages call the text
   * @throws ConfigException with every problem of the text
   */
  ExaminedProcess read(String source, String yaml) throws ConfigException;
}
