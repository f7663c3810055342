package io.fleetgauge.sample.gpu;

/** How often a metric is worth reading. */
public enum Tier {
  /** What dashboards and alerts show at every tick. */
  CORE,
  /** Errors, limits and states that change seldom and matter when they do. */
  HEALTH,
  /** Details for those who look closer. */
  EXTENDED,
  /** What changes only when somebody changes it, such as power limits. */
  STATIC,
  /** One series for each NVLink: many, and off unless they are asked for. */
  LINK
}
