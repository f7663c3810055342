package io.fleetgauge.sample.prometheus;

/** A page of an exporter that cannot be used; the message says where what is wrong with it. */
public final class BadPage extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * @param why for a person; nothing of the page counts
   */
  public BadPage(String why) {
    super(why);
  }
}
