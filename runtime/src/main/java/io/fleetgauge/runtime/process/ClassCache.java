package io.fleetgauge.runtime.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cache of classes with which the launcher started this JVM. The JVM does without one that does
 * not fit, and says nothing.
 */
public final class ClassCache {
  /** The property that names the file; the launcher sets it where there is one. */
  static final String PROPERTY = "fleetgauge.classCache";

  private static final Logger LOG = LoggerFactory.getLogger(ClassCache.class);
  private static final Path MAPPED = Path.of("/proc/self/maps");

  private ClassCache() {}

  /** Warns if there is a cache that this JVM does not use. */
  public static void warnIfUnused() {
    String file = System.getProperty(PROPERTY, "");
    if (!file.isEmpty() && !isUsed(file)) {
      LOG.warn(
          "the cache of classes {} does not fit this Java, its flags, or the jars and their"
              + " modification times: starting without it takes longer. Copy it with a tool that"
              + " preserves modification times, such as tar, cp -a or a package",
          file);
    }
  }

  private static boolean isUsed(String file) {
    try {
      // Another mapped file may have a name that is not UTF-8.
      String mapped = new String(Files.readAllBytes(MAPPED), StandardCharsets.UTF_8);
      String real = Path.of(file).toRealPath().toString();
      return mapped.lines().anyMatch(line -> line.endsWith(real));
    } catch (IOException e) {
      return true; // nothing is known
    }
  }
}
