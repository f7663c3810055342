package io.fleetgauge.cluster.tenant;

import io.fleetgauge.cluster.config.TenantLimits;
import io.fleetgauge.cluster.config.key.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file of tenants, read again when it has changed. One thread looks at a time. */
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
   * @param base the limits of a tenant that says none
   * @param scopeProblem what is wrong with a selector; empty when nothing is
   * @param access is told who may do what
   * @throws ConfigException with every problem there is
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

  /** Looks whether it has changed; when it is wrong, tells so and keeps what there was. */
  public void look() {
    String found;
    try {
      found = Files.readString(file);
    } catch (IOException e) {
      failures.increment();
      if (!e.toString().equals(trouble)) {
        trouble = e.toString(); // told once
        LOG.error("the tenants {} cannot be read, those there were stay: {}", file, trouble);
      }
      return;
    }
    trouble = "";
    if (found.equals(text)) {
      return;
    }
    try {
      take(found);
      LOG.info("the tenants {} were read again: {}", file, access.tenants());
    } catch (ConfigException e) {
      failures.increment();
      text = found; // told once
      LOG.error("the tenants there were stay: {}", e.getMessage());
    }
  }

  /** How often it could not be taken over. */
  public long failures() {
    return failures.sum();
  }
}
