package io.fleetgauge.runtime.yaml;

/** A text is not YAML, or has what nobody would read; the message has the place. */
public final class BadYaml extends Exception {
  private static final long serialVersionUID = 1L;

  BadYaml(String message) {
    super(message);
  }
}
