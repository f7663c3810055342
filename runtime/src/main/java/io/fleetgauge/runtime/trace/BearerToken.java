package io.fleetgauge.runtime.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The header with a token, which is read from its file each time. */
record BearerToken(Path file) implements Supplier<Map<String, String>> {
  private static final Logger LOG = LoggerFactory.getLogger(BearerToken.class);

  @Override
  public Map<String, String> get() {
    try {
      return Map.of("Authorization", "Bearer " + Files.readString(file).strip());
    } catch (IOException e) {
      LOG.warn("the file {} of tracing.token cannot be read: {}", file, e.getMessage());
      return Map.of();
    }
  }
}
