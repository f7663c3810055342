package io.fleetgauge.distribution.packages;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/** The files of the packages of a process; the same for both kinds. */
final class Contents {
  private static final Pattern GLIBC = Pattern.compile("GLIBC_2\\.(\\d{1,3})\0");

  /** The library of Debian 12 is 2.36; older than this one no Java 25 is. */
  private static final int OLDEST_GLIBC = 17;

  private final PackagedProcess process;
  private final Release release;
  private final String home;
  private final String documentation;
  private final TreeMap<String, Entry> entries = new TreeMap<>();
  private int glibc = OLDEST_GLIBC;

  private Contents(PackagedProcess process, Release release) {
    this.process = process;
    this.release = release;
    this.home = "/usr/lib/fleetgauge/" + process.folder();
    this.documentation = "/usr/share/doc/" + process.packageName();
  }

  /**
   * Reads what is to be packaged.
   *
   * @param folder that of the process
   * @throws IOException if it cannot be read or lacks what every process has
   */
  static Contents of(PackagedProcess process, Path folder, Release release) throws IOException {
    for (String needed : new String[] {"bin/fleetgauge", "lib"}) {
      if (!Files.exists(folder.resolve(needed))) {
        throw new IOException(
            folder + " is not the folder of a process: it has no " + needed + ". Build it first.");
      }
    }
    Contents contents = new Contents(process, release);
    contents.takeFolder(folder);
    contents.addOwn();
    contents.addFolders();
    return contents;
  }

  private void takeFolder(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : (Iterable<Path>) all.sorted()::iterator) {
        String name = folder.relativize(each).toString();
        if (Files.isSymbolicLink(each)) {
          add(new Entry.Link(home + "/" + name, Files.readSymbolicLink(each).toString()));
        } else if (Files.isRegularFile(each)) {
          takeFile(name, each);
        }
      }
    }
  }

  private void takeFile(String name, Path file) throws IOException {
    if (name.startsWith("etc/") || name.equals("LICENSE")) {
      return; // the package has its own
    }
    if (name.matches("(licences|docs)/.*|README\\.md")) {
      add(Entry.File.of(documentation + "/" + name, file));
    } else if (name.startsWith("dashboards/")) {
      add(Entry.File.of("/usr/share/fleetgauge/" + name, file));
    } else if (name.startsWith("share/")) {
      if (isOfThisProcess(file.getFileName().toString())) {
        takeShared(name, file);
      }
    } else {
      if (!name.endsWith(".aot")) {
        release.requireTime(file);
      }
      add(Entry.File.of(home + "/" + name, file));
      if (name.matches(".*\\.so(\\.\\d+)*|runtime/bin/.*")) {
        noteGlibc(file);
      }
    }
  }

  /**
   * Pages and completions of all commands may be in each folder; two packages cannot have one file.
   */
  private boolean isOfThisProcess(String fileName) {
    for (PackagedProcess each : PackagedProcess.values()) {
      if (fileName.startsWith(each.packageName())) {
        return each == process;
      }
    }
    return process == PackagedProcess.QUERY;
  }

  private void takeShared(String name, Path file) throws IOException {
    if (name.startsWith("share/man/") && !name.endsWith(".gz")) {
      add(Entry.File.of("/usr/" + name + ".gz", gzip(Files.readAllBytes(file))));
    } else {
      add(Entry.File.of("/usr/" + name, Files.readAllBytes(file)));
    }
  }

  /** Symbols of the C library name the version that has them. */
  private void noteGlibc(Path library) throws IOException {
    Matcher needed =
        GLIBC.matcher(new String(Files.readAllBytes(library), StandardCharsets.ISO_8859_1));
    while (needed.find()) {
      glibc = Math.max(glibc, Integer.parseInt(needed.group(1)));
    }
  }

  private void addOwn() throws IOException {
    String name = process.packageName();
    add(Entry.File.of("/usr/bin/" + name, text("command.sh")).executable());
    if (process == PackagedProcess.QUERY) {
      add(Entry.File.of("/usr/bin/fleetgauge", text("query/tools.sh")).executable());
    }
    add(
        Entry.File.of(
                "/etc/fleetgauge/" + process.folder() + ".yaml",
                text(process.folder() + "/" + process.folder() + ".yaml"))
            .configuration());
    add(
        Entry.File.of(
            "/usr/lib/systemd/system/" + name + ".service",
            text(process.folder() + "/" + name + ".service")));
    add(Entry.File.of("/usr/lib/sysusers.d/" + name + ".conf", text("sysusers.conf")));
    add(Entry.File.of("/usr/lib/tmpfiles.d/" + name + ".conf", text("tmpfiles.conf")));
    add(Entry.File.of(documentation + "/copyright", text("copyright")));
    for (String example : process.examples()) {
      add(
          Entry.File.of(
              documentation + "/examples/" + example,
              text(process.folder() + "/examples/" + example)));
    }
  }

  private void addFolders() {
    for (String path : entries.keySet().toArray(new String[0])) {
      for (int end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
        String folder = path.substring(0, end);
        entries.putIfAbsent(folder, new Entry.Folder(folder));
      }
    }
  }

  private void add(Entry entry) {
    if (entries.put(entry.path(), entry) != null) {
      throw new IllegalStateException(entry.path() + " would be in the package twice");
    }
  }

  /** Adds what only one kind of package has. */
  Contents with(Entry... more) {
    Contents with = new Contents(process, release);
    with.entries.putAll(entries);
    with.glibc = glibc;
    for (Entry entry : more) {
      with.add(entry);
    }
    with.addFolders();
    return with;
  }

  /** One of the texts that packages are made of, for this process. */
  String text(String resource) throws IOException {
    try (InputStream in = Contents.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException("there is no resource " + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .replace("@PROCESS@", process.folder());
    }
  }

  /** Compressed without a name and a time. */
  static byte[] gzip(byte[] bytes) throws IOException {
    GzipParameters parameters = new GzipParameters();
    parameters.setCompressionLevel(9);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream gzip = new GzipCompressorOutputStream(out, parameters)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  PackagedProcess process() {
    return process;
  }

  Release release() {
    return release;
  }

  String documentation() {
    return documentation;
  }

  /** By path; a folder comes before what is in it. */
  Collection<Entry> entries() {
    return entries.values();
  }

  /** Oldest version of the C library that has all symbols that are used, such as {@code 2.34}. */
  String glibc() {
    return "2." + glibc;
  }
}
