package io.fleetgauge.sample.gpu;

/** The frequency at which a metric is worth reading. */
public enum Tier {
  /** Metrics that dashboards and alerts show at every tick. */
  CORE,
  /** Errors, limits and states that change seldom and matter when they do. */
  HEALTH,
  /** Details for those who look closer. */
  EXTENDED,
  /** Metrics that change only when somebody changes them, such as power limits. */
  STATIC,
  /** One series for each NVLink: many, and off unless they are asked for. */
  LINK
}
