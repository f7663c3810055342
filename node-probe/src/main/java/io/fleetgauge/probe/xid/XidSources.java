package io.fleetgauge.probe.xid;

/** Where XIDs come from: the kernel's log and events of the driver. For any thread. */
public interface XidSources extends AutoCloseable {
  /** Records of the log that were read. */
  long lines();

  /** Those that look like an error and cannot be read. */
  long unreadable();

  /** Times that the kernel dropped records before they were read. */
  long lost();

  /** Tells whether the log can be read. */
  boolean isLogOpen();

  /** Tells whether events would come. */
  boolean isRegistered();

  @Override
  void close();
}
