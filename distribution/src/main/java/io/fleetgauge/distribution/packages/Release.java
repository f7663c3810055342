package io.fleetgauge.distribution.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The version that is released, and its time.
 *
 * @param version as Maven writes it
 * @param time time of all files, in whole seconds
 * @param built when the sources were written, in whole seconds
 */
record Release(String version, Instant time, Instant built) {
  static final String MAINTAINER = "Fleetgauge developers <maintainers@fleetgauge.invalid>";

  private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)*(-[A-Za-z0-9.]+)?");
  private static final DateTimeFormatter MAIL =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss Z", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  Release {
    if (!VERSION.matcher(version).matches()) {
      throw new IllegalArgumentException(
          "the version is " + version + ". A version is like 1.2.3 or 1.2.3-rc1.");
    }
    requireSeconds(time);
    requireSeconds(built);
  }

  private static void requireSeconds(Instant time) {
    if (time.getNano() != 0 || time.getEpochSecond() < 0) {
      throw new IllegalArgumentException("the time " + time + " is not of whole seconds from 1970");
    }
  }

  /**
   * The version as package managers compare it: everything with a suffix is older than the release.
   */
  String packageVersion() {
    return version.replace('-', '~');
  }

  /** When the sources were written, as in a mail. */
  String mailTime() {
    return MAIL.format(built);
  }

  /**
   * The JVM compares the times of its files with those in its cache of classes, so that a package
   * must not change them.
   */
  void requireTime(Path file) throws IOException {
    Instant of = Files.getLastModifiedTime(file).toInstant();
    if (of.getEpochSecond() != time.getEpochSecond()) {
      throw new IOException(
          file
              + " is of "
              + of
              + " and not of "
              + time
              + ", the time of the package. The cached classes would not be used: give all files"
              + " this time before the cache is made.");
    }
  }

  /** The machine's architecture as Debian names it. */
  static String debianArchitecture() {
    String of = System.getProperty("os.arch");
    return of.equals("aarch64") ? "arm64" : of;
  }

  /** The machine's architecture as RPM names it. */
  static String rpmArchitecture() {
    String of = System.getProperty("os.arch");
    return of.equals("amd64") ? "x86_64" : of;
  }
}
