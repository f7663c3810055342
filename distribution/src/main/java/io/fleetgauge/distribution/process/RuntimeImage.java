package io.fleetgauge.distribution.process;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.spi.ToolProvider;

/** The part of the JDK that a process needs. */
public final class RuntimeImage {
  /**
   * Programs that come with the modules and that nobody calls. {@code lib/jspawnhelper} is not one
   * of them: the JVM starts every other program by it.
   */
  private static final List<String> NOT_NEEDED =
      List.of("bin/keytool", "bin/jrunscript", "bin/rmiregistry");

  private RuntimeImage() {}

  /** Why the JDK that runs this cannot link an image; empty when it can. */
  public static String hindrance() {
    Path jdk = Path.of(System.getProperty("java.home"));
    Optional<ToolProvider> jlink = ToolProvider.findFirst("jlink");
    if (jlink.isEmpty()) {
      return "the JDK in " + jdk + " has no jlink. Install Temurin 25 from adoptium.net";
    }
    boolean canLink =
        Files.exists(jdk.resolve("jmods/java.base.jmod"))
            || text(jlink.get(), "--help").contains("run-time image enabled");
    return canLink
        ? ""
        : "the JDK in "
            + jdk
            + " has no jmods, and cannot link images without them. Install the package that has"
            + " its jmods, or Temurin 25 from adoptium.net";
  }

  static void link(List<String> modules, Path image) throws IOException {
    String output =
        text(
            ToolProvider.findFirst("jlink").orElseThrow(),
            "--add-modules",
            String.join(",", modules),
            "--output",
            image.toString(),
            "--no-header-files",
            "--no-man-pages",
            "--compress=zip-6");
    if (!Files.exists(image.resolve("bin/java"))) {
      throw new IOException("jlink fails: " + output);
    }
    for (String file : NOT_NEEDED) {
      Files.deleteIfExists(image.resolve(file));
    }
  }

  private static String text(ToolProvider tool, String... arguments) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    tool.run(out, out, arguments);
    return text.toString();
  }
}
