package io.fleetgauge.probe.xid;

/** Where XIDs come from: the kernel's log and events of the driver. For any thread. */
public interface XidSources extends AutoCloseable {
  /**
   * State of the sources.
   *
   * @param lines records of the log that were read
   * @param unreadable those that look like an error and cannot be read
   * @param lost times that the kernel dropped records before they were read
   * @param isLogOpen whether the log can be read
   * @param isRegistered whether events would come
   */
  record Status(long lines, long unreadable, long lost, boolean isLogOpen, boolean isRegistered) {}

  Status status();

  @Override
  void close();
}
