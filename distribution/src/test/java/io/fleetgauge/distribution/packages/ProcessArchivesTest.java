package io.fleetgauge.distribution.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.fleetgauge.distribution.process.ProcessFolder;
import io.fleetgauge.distribution.process.Programs;
import io.fleetgauge.distribution.process.RuntimeImage;
import io.fleetgauge.distribution.process.ShippedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.cyclonedx.Version;
import org.cyclonedx.model.Bom;
import org.cyclonedx.model.Component;
import org.cyclonedx.parsers.JsonParser;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folders of processes that the build made, and the archives of them. */
class ProcessArchivesTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final Path TARGET = ROOT.resolve("distribution/target");
  private static final long MOST_PROBE_BYTES = 60_000_000;

  private static final Map<ShippedProcess, ProcessFolder> FOLDERS = new TreeMap<>();

  @TempDir private Path folder;

  @BeforeAll
  static void find() {
    assumeThat(RuntimeImage.hindrance()).as("why there are no folders of processes").isEmpty();
    for (ShippedProcess process : ShippedProcess.values()) {
      Path home = TARGET.resolve("processes").resolve(process.command());
      if (Files.exists(home)) {
        FOLDERS.put(process, new ProcessFolder(process, home));
      }
    }
    assertThat(FOLDERS).containsKey(ShippedProcess.PROBE);
  }

  @Test
  void theArchiveOfTheProbeIsSmallAndTheSumsAreThoseOfTheArchives() throws Exception {
    assertThat(Files.size(archive("fleetgauge-probe-"))).isLessThan(MOST_PROBE_BYTES);
    Programs.run(TARGET.resolve("packages"), "sha256sum", "--check", "--strict", "SHA256SUMS");
  }

  private static Path archive(String prefix) throws IOException {
    try (Stream<Path> all = Files.list(TARGET.resolve("packages"))) {
      return all.filter(
              file -> file.getFileName().toString().matches(prefix + ".*-linux-.*\\.tar\\.gz"))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void entriesOfAnArchiveAreInOrderAndOfRootWithOneTime() throws Exception {
    List<String> lines =
        Programs.run(
                folder,
                "tar",
                "--full-time",
                "--numeric-owner",
                "-tvzf",
                archive("fleetgauge-probe-").toString())
            .lines()
            .toList();
    assertThat(lines).hasSizeGreaterThan(80).allMatch(line -> line.contains(" 0/0 "));
    assertThat(lines.stream().map(line -> line.split("\\s+")[3] + " " + line.split("\\s+")[4]))
        .containsOnly(lines.getFirst().split("\\s+")[3] + " " + lines.getFirst().split("\\s+")[4]);
    assertThat(lines).allMatch(line -> line.matches("(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--|[lh]).*"));
  }

  /** With the cache of the build, because no two training runs make the same one. */
  @Test
  void twoBuildsWithTheSameCacheMakeTheSameBytes() throws Exception {
    Path caches = Files.createDirectory(folder.resolve("caches"));
    try (Stream<Path> all = Files.list(cachesOfTheBuild())) {
      for (Path each : (Iterable<Path>) all::iterator) {
        Files.copy(each, caches.resolve(each.getFileName()));
      }
    }
    ProcessFolder probe = FOLDERS.get(ShippedProcess.PROBE);
    Path again = folder.resolve("again");
    Packaging.main(
        new String[] {
          installed().toString(),
          again.toString(),
          "there is no need for a driver",
          Files.getLastModifiedTime(probe.launcher()).toString(),
          Files.getLastModifiedTime(probe.launcher()).toString(),
          caches.toString(),
          "probe",
          System.getProperty("packages.repository"),
          ""
        });
    Map<String, Path> first = probe.files();
    ProcessFolder second =
        new ProcessFolder(ShippedProcess.PROBE, again.resolve("processes/probe"));
    assertThat(second.files()).containsOnlyKeys(first.keySet());
    List<String> different = new ArrayList<>();
    for (Map.Entry<String, Path> each : second.files().entrySet()) {
      if (Files.isRegularFile(each.getValue())
          && Files.mismatch(each.getValue(), first.get(each.getKey())) >= 0) {
        different.add(each.getKey());
      }
    }
    assertThat(different).isEmpty();
    Path archive = archive("fleetgauge-probe-");
    assertThat(Files.mismatch(archive, again.resolve("packages").resolve(archive.getFileName())))
        .isEqualTo(-1);
  }

  private static Path cachesOfTheBuild() {
    return Path.of(System.getProperty("packages.caches"));
  }

  private static Path installed() throws IOException {
    try (Stream<Path> all = Files.list(TARGET)) {
      Path outer =
          all.filter(Files::isDirectory)
              .filter(each -> each.getFileName().toString().startsWith("fleetgauge-"))
              .findFirst()
              .orElseThrow();
      return outer.resolve(outer.getFileName());
    }
  }

  @Test
  void theBillOfMaterialsIsValidAndListsTheJarsOfTheFolderAndItsJava() throws Exception {
    for (ProcessFolder each : FOLDERS.values()) {
      Path file = each.home().resolve("sbom.cdx.json");
      JsonParser parser = new JsonParser();
      assertThat(parser.validate(file.toFile(), Version.VERSION_16)).isEmpty();
      Bom bom = parser.parse(file.toFile());
      assertThat(
              bom.getComponents().stream()
                  .filter(component -> component.getType() == Component.Type.LIBRARY)
                  .map(ProcessArchivesTest::jar))
          .containsExactlyInAnyOrderElementsOf(
              each.jars().stream().map(jar -> jar.getFileName().toString()).toList());
      assertThat(bom.getComponents()).allMatch(component -> component.getLicenses() != null);
      Component java =
          bom.getComponents().stream()
              .filter(component -> component.getType() == Component.Type.PLATFORM)
              .findFirst()
              .orElseThrow();
      assertThat(java.getVersion()).startsWith("25");
      assertThat(java.getProperties().getFirst().getValue()).contains("java.base");
    }
  }

  private static String jar(Component of) {
    String classifier = of.getPurl().replaceFirst(".*[?&]classifier=([^&]+).*|.*", "$1");
    return of.getName()
        + "-"
        + of.getVersion()
        + (classifier.isEmpty() ? "" : "-" + classifier)
        + ".jar";
  }

  @Test
  void everyCommandHasAManualPageAndCompletions() throws Exception {
    for (ProcessFolder each : FOLDERS.values()) {
      String name = "fleetgauge-" + each.process().command();
      Path page = each.home().resolve("share/man/man1/" + name + ".1");
      assertThat(page)
          .content()
          .startsWith(".TH fleetgauge\\-")
          .contains(".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", "\\fB\\-\\-config\\fR=\\fIFILE\\fR");
      Path completions = each.home().resolve("share/bash-completion/completions/" + name);
      assertThat(completions).content().doesNotStartWith("#!");
      Programs.run(folder, "bash", "-n", completions.toString());
      assertThat(
              Programs.run(
                  folder,
                  "bash",
                  "-c",
                  "source %s; COMP_WORDS=(%s --con); COMP_CWORD=1; _complete_%s; echo ${COMPREPLY[@]}"
                      .formatted(completions, name, name)))
          .contains("--config");
    }
    Path top = TARGET.resolve("processes/share/man/man1");
    try (Stream<Path> all = Files.list(top)) {
      assertThat(new TreeSet<>(all.map(page -> page.getFileName().toString()).toList()))
          .contains("fleetgauge.1", "fleetgauge-probe.1");
    }
  }
}
