package io.fleetgauge.runtime.tenant;

import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.key.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tenants file, which is read again when it has changed. Safe for all threads. */
public final class TenantFile {
  private static final Logger LOG = LoggerFactory.getLogger(TenantFile.class);

  private final Path file;
  private final TenantLimits base;
  private final Function<String, String> scopeProblem;
  private final Access access;
  private final LongAdder failures = new LongAdder();
  private String text;
  private String trouble = "";

  private TenantFile(
      Path file, TenantLimits base, Function<String, String> scopeProblem, Access access) {
    this.file = file;
    this.base = base;
    this.scopeProblem = scopeProblem;
    this.access = access;
  }

  /**
   * Reads the file for the first time.
   *
   * @param base the limits of a tenant that sets none
   * @param scopeProblem what is wrong with a selector; empty when nothing is
   * @param access receives the tenants
   * @throws ConfigException with every problem of the file
   * @throws IOException if it cannot be read
   */
  public static TenantFile open(
      Path file, TenantLimits base, Function<String, String> scopeProblem, Access access)
      throws ConfigException, IOException {
    TenantFile opened = new TenantFile(file, base, scopeProblem, access);
    opened.take(Files.readString(file));
    return opened;
  }

  private void take(String found) throws ConfigException {
    access.set(TenantList.read(file.toString(), found, base, scopeProblem));
    text = found;
  }

  /**
   * Reads the file if it has changed. A file that cannot be used is logged, and the tenants that
   * were read before stay.
   *
   * @return whether the tenants have been replaced
   */
  public synchronized boolean look() {
    String found;
    try {
      found = Files.readString(file);
    } catch (IOException e) {
      failures.increment();
      if (!e.toString().equals(trouble)) {
        trouble = e.toString(); // logged once
        LOG.error(
            "tenants file {} cannot be read, the tenants read before stay: {}", file, trouble);
      }
      return false;
    }
    trouble = "";
    if (found.equals(text)) {
      return false;
    }
    try {
      take(found);
      LOG.info("tenants file {} was read again: {}", file, access.tenants());
      return true;
    } catch (ConfigException e) {
      failures.increment();
      text = found; // logged once
      LOG.error("the tenants read before stay: {}", e.getMessage());
      return false;
    }
  }

  /** The number of times that a changed file could not be used. */
  public long failures() {
    return failures.sum();
  }
}
