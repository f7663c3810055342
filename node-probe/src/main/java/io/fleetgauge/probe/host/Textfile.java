package io.fleetgauge.probe.host;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.TextExposition;
import io.fleetgauge.sample.prometheus.TextExpositionReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** node_exporter's collector {@code textfile}. Any thread may ask for {@link #families}. */
final class Textfile implements Collector {
  /** Most bytes of a file. */
  static final int MAX_BYTES = 4 << 20;

  /** Most samples of all files. */
  static final int MAX_SAMPLES = 20_000;

  /** Most files. */
  static final int MAX_FILES = 1_000;

  private static final String SUFFIX = ".prom";
  private static final Set<String> TYPES = Set.of("counter", "gauge", "untyped");

  /** The content of a file when it was last read; without samples if it was damaged. */
  private record Parsed(
      long modified,
      long size,
      List<TextExpositionReader.Sample> samples,
      Map<String, TextExposition.Family> families,
      boolean isDamaged) {}

  private final Optional<Path> folder;
  private final Metric modified = new Metric("node_textfile_mtime_seconds", "file");
  private final Metric error = new Metric("node_textfile_scrape_error");
  private final Set<Labels> seen = new HashSet<>();
  private Map<String, Parsed> known = new HashMap<>();
  private volatile Map<String, TextExposition.Family> families = Map.of();

  /**
   * @param folder empty if there is none
   */
  public Textfile(Optional<Path> folder) {
    this.folder = folder;
  }

  /** Type and help of the metrics that the files have, by name. */
  public Map<String, TextExposition.Family> families() {
    return families;
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) {
    out.add(error, folder.isEmpty() || read(files, out, folder.get()) ? 0 : 1);
  }

  /** Tells whether all was well. */
  private boolean read(NodeFiles files, CollectorReadings out, Path path) {
    String[] names = path.toFile().list();
    if (names == null) {
      return false;
    }
    boolean isWell = true;
    Arrays.sort(names);
    seen.clear();
    Map<String, Parsed> now = new HashMap<>();
    for (String name : names) {
      if (!name.endsWith(SUFFIX)) {
        continue;
      }
      if (now.size() == MAX_FILES) {
        return refuse(files, "there are more than " + MAX_FILES + " files in " + path);
      }
      String file = path.resolve(name).toString();
      Parsed parsed = parsed(files, file);
      now.put(file, parsed);
      isWell &= !parsed.isDamaged() && add(files, out, file, parsed);
    }
    if (!now.equals(known)) {
      Map<String, TextExposition.Family> all = new HashMap<>();
      now.values().forEach(parsed -> parsed.families().forEach(all::putIfAbsent));
      families = Map.copyOf(all);
    }
    known = now;
    return isWell;
  }

  private boolean add(NodeFiles files, CollectorReadings out, String file, Parsed parsed) {
    boolean isWell = true;
    for (TextExpositionReader.Sample sample : parsed.samples()) {
      if (seen.size() == MAX_SAMPLES) {
        return refuse(files, file + " goes beyond " + MAX_SAMPLES + " samples of all files");
      }
      if (seen.add(sample.labels())) {
        out.add(sample.labels(), sample.value());
      } else {
        isWell = refuse(files, file + " has " + sample.labels() + " again");
      }
    }
    out.add(modified, Math.floorDiv(parsed.modified(), 1_000), file);
    return isWell;
  }

  /** Reads a file anew only if it changed. */
  private Parsed parsed(NodeFiles files, String path) {
    File file = new File(path);
    long time = file.lastModified();
    long size = file.length();
    Parsed before = known.get(path);
    if (before != null && before.modified() == time && before.size() == size) {
      return before;
    }
    try {
      if (size > MAX_BYTES) {
        throw new IOException("it has " + size + " bytes, more than " + MAX_BYTES);
      }
      String text = new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
      if (!text.isEmpty() && !text.endsWith("\n")) {
        throw new IOException("its last line has no end"); // a piece of a number is another number
      }
      TextExpositionReader.Exposition read = TextExpositionReader.read(text);
      if (read.samples().stream().anyMatch(sample -> sample.time().isPresent())) {
        throw new IOException("it has timestamps");
      }
      Map<String, TextExposition.Family> of = new HashMap<>(read.families());
      of.values().removeIf(family -> !TYPES.contains(family.type()));
      return new Parsed(time, size, read.samples(), of, false);
    } catch (IOException | TextExpositionReader.BadLine e) {
      refuse(files, path + " is left out: " + e.getMessage());
      return new Parsed(time, size, List.of(), Map.of(), true);
    }
  }

  private static boolean refuse(NodeFiles files, String why) {
    files.damaged(why);
    return false;
  }
}
