package io.fleetgauge.probe.dcgm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The list of counters, read again when it has changed. Safe for all threads. */
public final class CountersFile {
  private static final Logger LOG = LoggerFactory.getLogger(CountersFile.class);
  private static final int MAX_BYTES = 1 << 20;

  private final Path file;
  private String text = "";
  private String trouble = "";
  private volatile Counters counters = Counters.ALL;

  private CountersFile(Path file) {
    this.file = file;
  }

  /**
   * Reads the file for the first time.
   *
   * @throws IOException if it cannot be read
   */
  public static CountersFile open(Path file) throws IOException {
    CountersFile opened = new CountersFile(file);
    opened.take(opened.read());
    return opened;
  }

  private String read() throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IOException("it has more bytes than the limit of " + MAX_BYTES);
      }
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  private void take(String found) {
    text = found;
    counters = Counters.parse(found);
    for (String warning : counters.warnings()) {
      LOG.warn("gpu.collectors {}: {}", file, warning);
    }
    LOG.info("gpu.collectors {} chooses {} metrics", file, counters.metrics().size());
  }

  /** Reads the file if it has changed; what was chosen before stays when it cannot be read. */
  public synchronized void look() {
    String found;
    try {
      found = read();
    } catch (IOException e) {
      if (!e.toString().equals(trouble)) {
        trouble = e.toString(); // logged once
        LOG.error(
            "gpu.collectors {} cannot be read, the previous choice stays in use: {}",
            file,
            trouble);
      }
      return;
    }
    trouble = "";
    if (!found.equals(text)) {
      take(found);
    }
  }

  /** The choice of the file. */
  public Counters counters() {
    return counters;
  }
}
