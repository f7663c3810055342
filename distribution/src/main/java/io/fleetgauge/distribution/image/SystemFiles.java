package io.fleetgauge.distribution.image;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What of Debian is in an image: the libraries that the programs of a process are linked with, and
 * the few files that every program expects of a system.
 */
final class SystemFiles {
  /** What the GPU driver's library is linked with, which comes into the container from outside. */
  private static final List<String> FOR_THE_DRIVER =
      List.of("libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0", "librt.so.1");

  private static final String AUTHORITIES = "usr/share/ca-certificates/mozilla/";
  private static final String LICENCES = "usr/share/common-licenses/";

  /** Where the file of a package's licence is that has none of its own. */
  private static final Map<String, String> LICENCE_OF =
      Map.of("libgcc-s1", "gcc-14-base", "libstdc++6", "gcc-14-base");

  private final List<DebianPackage> packages;
  private final Map<String, DebianPackage.Content> contents;
  private final Map<String, Entry> entries = new TreeMap<>();
  private final Set<String> used = new HashSet<>();

  private SystemFiles(List<DebianPackage> packages, Map<String, DebianPackage.Content> contents) {
    this.packages = packages;
    this.contents = contents;
  }

  /** The files for a process, whose folder has its programs and libraries. */
  static SystemFiles of(LayeredFolder process, List<DebianPackage> packages, Mirror mirror)
      throws IOException, InterruptedException {
    Map<String, DebianPackage.Content> contents = new TreeMap<>();
    for (DebianPackage each : packages) {
      contents.put(each.name(), DebianPackage.unpack(mirror.bring(each)));
    }
    SystemFiles files = new SystemFiles(packages, contents);
    files.takeLibraries(process);
    files.takeBase();
    files.takeAuthorities();
    files.describePackages();
    return files;
  }

  List<Entry> entries() {
    return List.copyOf(entries.values());
  }

  /** The packages that files are of. */
  List<DebianPackage> used() {
    return packages.stream().filter(each -> used.contains(each.name())).toList();
  }

  private void takeLibraries(LayeredFolder process) throws IOException {
    Set<String> own = new HashSet<>();
    Deque<String> needed = new ArrayDeque<>(FOR_THE_DRIVER);
    for (Path file : programs(process)) {
      own.add(file.getFileName().toString());
      Elf elf = Elf.read(Files.readAllBytes(file));
      needed.addAll(elf.libraries());
      if (!elf.loader().isEmpty()) {
        needed.add(Path.of(elf.loader()).getFileName().toString());
      }
    }
    Set<String> seen = new HashSet<>(own);
    while (!needed.isEmpty()) {
      String name = needed.pop();
      if (seen.add(name)) {
        needed.addAll(takeLibrary(name));
      }
    }
    // As on Debian, where all programs and libraries are below /usr.
    for (String folder : List.of("lib", "lib64")) {
      entries.put(folder, new Entry.Link(folder, "usr/" + folder));
      entries.put("usr/" + folder, new Entry.Folder("usr/" + folder, 0755, Entry.ROOT));
    }
  }

  private static List<Path> programs(LayeredFolder process) throws IOException {
    List<Path> programs = new ArrayList<>();
    for (Path file : process.programs()) {
      try (InputStream in = Files.newInputStream(file)) {
        if (Elf.isElf(in.readNBytes(Elf.HEADER))) {
          programs.add(file);
        }
      }
    }
    if (programs.isEmpty()) {
      throw new IOException(process.home + " has no program in runtime/: there is nothing to run");
    }
    return programs;
  }

  /** Takes a library from wherever a package has it; answers what it needs itself. */
  private List<String> takeLibrary(String name) throws IOException {
    List<String> needs = new ArrayList<>();
    boolean found = false;
    for (DebianPackage each : packages) {
      for (Entry entry : contents.get(each.name()).files().values()) {
        String path = entry.path();
        if (path.startsWith("usr/lib") && path.endsWith("/" + name) && !path.contains("gconv")) {
          found = true;
          needs.addAll(take(each, entry));
        }
      }
    }
    if (!found) {
      throw new IOException(
          "a program needs %s, which none of the packages %s has. Add its package to debian.tsv."
              .formatted(name, packages.stream().map(DebianPackage::name).toList()));
    }
    return needs;
  }

  private List<String> take(DebianPackage from, Entry entry) {
    used.add(from.name());
    entries.put(entry.path(), entry);
    return switch (entry) {
      case Entry.Bytes file -> Elf.read(file.content()).libraries();
      case Entry.Link(String path, String target) -> {
        String whole = Path.of("/" + path).resolveSibling(target).normalize().toString();
        // Debian writes some of these targets from the time before /usr had all.
        String merged = whole.substring(1).replaceFirst("^lib", "usr/lib");
        Entry behind = contents.get(from.name()).files().get(merged);
        if (behind == null) {
          throw new IllegalStateException(path + " links to " + merged + ", which is not there");
        }
        yield take(from, behind);
      }
      case Entry.Folder folder -> List.of();
      case Entry.Copy copy -> List.of();
    };
  }

  private void takeBase() {
    text("etc/passwd", "root:x:0:0:root:/root:/sbin/nologin\n" + nonroot(":/var/lib/fleetgauge:"));
    text("etc/group", "root:x:0:\nnonroot:x:%d:\n".formatted(Entry.NONROOT));
    text("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n");
    // The container toolkit lists the folders of the driver there.
    text("etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n");
    entries.put("tmp", new Entry.Folder("tmp", 01777, Entry.ROOT));
    Map<String, Entry> base = contents.get("base-files").files();
    for (String path : List.of("etc/debian_version", "etc/os-release", "usr/lib/os-release")) {
      entries.put(path, base.get(path));
    }
    base.values().stream()
        .filter(entry -> entry.path().startsWith(LICENCES))
        .forEach(entry -> entries.put(entry.path(), entry));
    used.add("base-files");
  }

  private static String nonroot(String rest) {
    return "nonroot:x:%d:%d:nonroot%s/sbin/nologin\n".formatted(Entry.NONROOT, Entry.NONROOT, rest);
  }

  /** All authorities in one file, as Debian's own command writes it when it is installed. */
  private void takeAuthorities() throws IOException {
    ByteArrayOutputStream bundle = new ByteArrayOutputStream();
    for (Entry entry : contents.get("ca-certificates").files().values()) {
      if (entry instanceof Entry.Bytes file && file.path().startsWith(AUTHORITIES)) {
        bundle.write(file.content());
      }
    }
    String path = "etc/ssl/certs/ca-certificates.crt";
    entries.put(path, new Entry.Bytes(path, false, bundle.toByteArray()));
    used.add("ca-certificates");
  }

  /** Licences, and what scanners of images read to know which versions are there. */
  private void describePackages() {
    for (DebianPackage each : used()) {
      String name = LICENCE_OF.getOrDefault(each.name(), each.name());
      String licence = "usr/share/doc/" + name + "/copyright";
      entries.put(licence, contents.get(name).files().get(licence));
      if (!name.equals(each.name())) {
        String link = "usr/share/doc/" + each.name();
        entries.put(link, new Entry.Link(link, name));
      }
      text("var/lib/dpkg/status.d/" + each.name(), contents.get(each.name()).control());
    }
  }

  private void text(String path, String text) {
    entries.put(path, new Entry.Bytes(path, false, text.getBytes(StandardCharsets.UTF_8)));
  }
}
