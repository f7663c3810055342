package io.fleetgauge.probe.host.storage;

import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.util.Set;

/** A line of mountinfo. */
record Mount(
    String device, String point, String type, String major, String minor, boolean isReadOnly) {
  private static final Set<String> READ_ONLY = Set.of("ro", "emergency_ro");

  /**
   * Reads the line.
   *
   * @return null if it is none of mountinfo
   */
  static Mount of(KernelText line, NodeFiles files) {
    if (line.wordsLeft() < 9 || !line.skip(2) || !line.nextWord(':')) {
      return null;
    }
    String major = line.word(0, 1);
    String minor = line.nextWord() ? line.word() : "";
    line.nextWord(); // the root within the file system
    String point = line.nextWord() ? unescaped(line.word()) : "";
    String options = line.nextWord() ? line.word() : "";
    boolean hasDash = false;
    while (!hasDash && line.nextWord()) {
      hasDash = line.wordIs("-");
    }
    String type = line.nextWord() ? line.word() : "";
    String device = line.nextWord() ? unescaped(line.word()) : "";
    String superOptions = line.nextWord() ? line.word() : "";
    if (!hasDash || superOptions.isEmpty() || !isNumber(major) || !isNumber(minor)) {
      return null;
    }
    boolean isReadOnly = hasReadOnly(options) || hasReadOnly(superOptions);
    return new Mount(device, files.withoutRoot(point), type, major, minor, isReadOnly);
  }

  private static boolean isNumber(String text) {
    return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static boolean hasReadOnly(String options) {
    for (String option : options.split(",")) {
      if (READ_ONLY.contains(option)) {
        return true;
      }
    }
    return false;
  }

  /** The kernel writes blanks in names as octal escapes. */
  private static String unescaped(String name) {
    return name.indexOf('\\') < 0
        ? name
        : name.replace("\\040", " ")
            .replace("\\011", "\t")
            .replace("\\012", "\n")
            .replace("\\134", "\\");
  }
}
