package io.fleetgauge.query.faults.running;

import io.fleetgauge.query.faults.detect.InvalidThresholds;
import io.fleetgauge.query.faults.detect.Thresholds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thresholds of a site, which are read again when their file changes. Thread-safe. */
public final class ThresholdsFile {
  private static final Logger LOG = LoggerFactory.getLogger(ThresholdsFile.class);

  private final Optional<Path> file;
  private String text = "";
  private Thresholds thresholds = Thresholds.defaults();

  private ThresholdsFile(Optional<Path> file) {
    this.file = file;
  }

  /**
   * @param file empty for the thresholds that are shipped
   * @throws InvalidThresholds if they cannot be used; the message says where and why
   * @throws IOException if the file cannot be read
   */
  public static ThresholdsFile open(Optional<Path> file) throws InvalidThresholds, IOException {
    ThresholdsFile opened = new ThresholdsFile(file);
    if (file.isPresent()) {
      opened.take(Files.readString(file.get()));
    }
    return opened;
  }

  private void take(String now) throws InvalidThresholds {
    text = now;
    thresholds = Thresholds.defaults().with(file.orElseThrow().toString(), now);
  }

  synchronized Thresholds thresholds() {
    return thresholds;
  }

  /**
   * Looks at the file.
   *
   * @return true if there are other thresholds now
   */
  synchronized boolean hasChanged() {
    if (file.isEmpty()) {
      return false;
    }
    try {
      String now = Files.readString(file.get());
      if (!now.equals(text)) {
        take(now);
        return true;
      }
    } catch (IOException e) {
      LOG.warn("the thresholds stay as they are: {} cannot be read: {}", file.get(), e.toString());
    } catch (InvalidThresholds e) {
      LOG.warn("the thresholds stay as they are: {}", e.getMessage());
    }
    return false;
  }
}
