package io.fleetgauge.query.faults.running;

import io.fleetgauge.query.faults.detect.InvalidThresholds;
import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.runtime.log.ProblemLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thresholds of a site, which are read again when their file changes. An entry that cannot be
 * used is left out and told, the others are used. Thread-safe.
 */
public final class ThresholdsFile {
  private static final Logger LOG = LoggerFactory.getLogger(ThresholdsFile.class);
  private static final int MOST_TOLD = 20;
  private static final long MILLIS = 1_000_000;

  private final Optional<Path> file;
  private final ProblemLog problems = new ProblemLog(LOG::warn, LOG::info);
  private String text = "";
  private Thresholds thresholds = Thresholds.defaults();
  private List<String> leftOut = List.of();

  private ThresholdsFile(Optional<Path> file) {
    this.file = file;
  }

  /**
   * @param file empty for the thresholds that are shipped
   * @throws InvalidThresholds if nothing of them can be used; the message says where and why
   * @throws IOException if the file cannot be read
   */
  public static ThresholdsFile open(Optional<Path> file) throws InvalidThresholds, IOException {
    ThresholdsFile opened = new ThresholdsFile(file);
    if (file.isPresent()) {
      opened.take(read(file.get()));
    }
    return opened;
  }

  /** Bytes that are no UTF-8 are replaced: in a comment they do no harm. */
  private static String read(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }

  private void take(String now) throws InvalidThresholds {
    List<String> without = new ArrayList<>();
    thresholds = Thresholds.defaults().with(file.orElseThrow().toString(), now, without::add);
    text = now;
    leftOut = List.copyOf(without);
    leftOut.stream().limit(MOST_TOLD).forEach(each -> LOG.warn("left out: {}", each));
  }

  synchronized Thresholds thresholds() {
    return thresholds;
  }

  /** Messages for the entries that are left out. */
  synchronized List<String> leftOut() {
    return leftOut;
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
    Optional<String> problem = Optional.empty();
    boolean hasChanged = false;
    try {
      String now = read(file.get());
      if (!now.equals(text)) {
        take(now);
        hasChanged = true;
      }
    } catch (NoSuchFileException e) {
      problem = Optional.of(file.get() + " is gone");
    } catch (IOException e) {
      problem = Optional.of(file.get() + " cannot be read: " + e);
    } catch (InvalidThresholds e) {
      problem = Optional.of(e.getMessage());
    }
    problems.update(
        System.nanoTime() / MILLIS,
        problem.map(each -> "the thresholds of faults stay as they are: " + each));
    return hasChanged;
  }
}
