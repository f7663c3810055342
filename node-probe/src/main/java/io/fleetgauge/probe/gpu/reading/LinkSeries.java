package io.fleetgauge.probe.gpu.reading;

/** The series that a GPU has for each of its NVLinks. */
public enum LinkSeries {
  NONE,
  /** State and errors, of GPUs that NVSwitches connect. */
  OF_SWITCHES,
  /** Everything that the driver tells, of every GPU. */
  ALL
}
