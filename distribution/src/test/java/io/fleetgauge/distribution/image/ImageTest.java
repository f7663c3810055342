package io.fleetgauge.distribution.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.cyclonedx.Version;
import org.cyclonedx.parsers.JsonParser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The images that the build made, read without a container engine. */
class ImageTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Most bytes of the probe's image, compressed, where a registry would count them. */
  private static final long PROBE_BYTES = 80_000_000;

  /** Most bytes that a new release changes of it. */
  private static final double CHANGED_SHARE = 0.5;

  @TempDir private Path folder;
  private Map<String, byte[]> blobs;
  private Path file;
  private JsonNode config;
  private List<String> layers;

  @BeforeEach
  void readProbe() throws IOException {
    read("probe");
  }

  private void read(String process) throws IOException {
    List<Path> images = Packages.images(process);
    assumeTrue(!images.isEmpty(), "there is no image of the " + process);
    file = images.getFirst();
    blobs = blobs(file);
    JsonNode image = JSON.readTree(blobs.get("manifest.json")).get(0);
    config = JSON.readTree(blobs.get(image.get("Config").asText()));
    layers = layers(image);
  }

  private static Map<String, byte[]> blobs(Path image) throws IOException {
    Map<String, byte[]> blobs = new TreeMap<>();
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(new BufferedInputStream(Files.newInputStream(image)))) {
      for (TarArchiveEntry entry; (entry = tar.getNextEntry()) != null; ) {
        blobs.put(entry.getName(), tar.readAllBytes());
      }
    }
    return blobs;
  }

  private static List<String> layers(JsonNode image) {
    List<String> names = new ArrayList<>();
    image.get("Layers").forEach(layer -> names.add(layer.asText()));
    return names;
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static Map<String, TarArchiveEntry> entries(byte[] layer) throws IOException {
    Map<String, TarArchiveEntry> entries = new TreeMap<>();
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(new GZIPInputStream(new ByteArrayInputStream(layer)))) {
      for (TarArchiveEntry entry; (entry = tar.getNextEntry()) != null; ) {
        assertThat(entries.put(entry.getName(), entry)).as(entry.getName()).isNull();
      }
    }
    return entries;
  }

  @ParameterizedTest
  @ValueSource(strings = {"probe", "gateway", "query"})
  void everythingThatAnImageNamesIsInItAndNothingElse(String process) throws IOException {
    read(process);
    Set<String> named = new HashSet<>(Set.of("manifest.json", "config.json"));
    named.addAll(layers);
    assertThat(blobs.keySet()).isEqualTo(named);
    assertThat("sha256:" + sha256(blobs.get("config.json"))).isEqualTo(idBeside());
    Set<String> paths = new HashSet<>();
    for (int i = 0; i < layers.size(); i++) {
      byte[] layer = blobs.get(layers.get(i));
      assertThat(layers.get(i)).isEqualTo(sha256(layer) + ".tar.gz");
      try (InputStream plain = new GZIPInputStream(new ByteArrayInputStream(layer))) {
        assertThat("sha256:" + sha256(plain.readAllBytes()))
            .isEqualTo(config.at("/rootfs/diff_ids").get(i).asText());
      }
      for (TarArchiveEntry entry : entries(layer).values()) {
        assertThat(entry.isDirectory() || paths.add(entry.getName())).as(entry.getName()).isTrue();
        boolean data = entry.getName().equals("var/lib/fleetgauge/");
        assertThat(entry.getLongUserId()).as(entry.getName()).isEqualTo(data ? 65532 : 0);
        boolean temporary = entry.getName().equals("tmp/");
        assertThat(entry.getMode() & 06022)
            .as("may be written to, or runs as its owner: " + entry.getName())
            .isEqualTo(temporary ? 0022 : entry.isSymbolicLink() ? 0022 : 0);
      }
    }
    assertThat(paths)
        .contains("etc/passwd", "etc/ssl/certs/ca-certificates.crt", "opt/fleetgauge/LICENSE")
        .contains("usr/share/doc/libc6/copyright", "usr/share/common-licenses/LGPL-2.1")
        .noneMatch(path -> path.matches("(usr/)?s?bin/.*|.*/(sh|bash|dash|busybox|apt|dpkg)"));
  }

  private String idBeside() throws IOException {
    return Files.readString(Packages.beside(file, "id")).strip();
  }

  @Test
  void anImageTellsHowItIsRunAndWhatItIs() {
    JsonNode execution = config.get("config");
    assertThat(execution.get("User").asText()).isEqualTo("65532:65532");
    assertThat(execution.at("/ExposedPorts").has("9400/tcp")).isTrue();
    assertThat(execution.at("/Volumes").has("/var/lib/fleetgauge")).isTrue();
    assertThat(execution.at("/Cmd").toString())
        .isEqualTo("[\"--config\",\"/etc/fleetgauge/probe.yaml\"]");
    List<String> healthCheck = new ArrayList<>();
    execution.at("/Healthcheck/Test").forEach(each -> healthCheck.add(each.asText()));
    assertThat(healthCheck)
        .startsWith("CMD", "/opt/fleetgauge/runtime/bin/java")
        .endsWith("io.fleetgauge.runtime.process.HealthCheck");
    assertThat(Packages.folder("probe").resolve("lib"))
        .isDirectoryContaining(
            jar -> healthCheck.contains("/opt/fleetgauge/lib/" + jar.getFileName()));
    assertThat(execution.at("/Env").toString())
        .contains("NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=utility");
    JsonNode labels = execution.get("Labels");
    for (String label : List.of("title", "description", "version", "created", "licenses")) {
      assertThat(labels.get("org.opencontainers.image." + label).asText()).isNotEmpty();
    }
  }

  @Test
  void theImageOfTheProbeIsSmallAndANewReleaseChangesLittleOfIt() throws IOException {
    long all = 0;
    long last = 0;
    for (String layer : layers) {
      last = blobs.get(layer).length;
      all += last;
    }
    System.out.printf("The probe's image has %,d bytes, its last layer %,d%n", all, last);
    assertThat(all).isLessThan(PROBE_BYTES);
    assertThat((double) last / all).isLessThan(CHANGED_SHARE);
  }

  /** The launcher, whose Java prints the arguments that it is given. */
  @ParameterizedTest
  @ValueSource(strings = {"probe", "gateway", "query"})
  void anImageStartsTheProcessAsTheLauncherDoes(String process) throws Exception {
    read(process);
    Path copy = Files.createDirectories(folder.resolve("opt"));
    for (String part : List.of("bin", "jvm", "lib", "native")) {
      Path from = Packages.folder(process).resolve(part);
      if (Files.isDirectory(from)) {
        Files.createDirectories(copy.resolve(part));
        try (Stream<Path> all = Files.list(from)) {
          for (Path each : (Iterable<Path>) all::iterator) {
            Files.copy(each, copy.resolve(part).resolve(each.getFileName()));
          }
        }
      }
    }
    Path runtime = Files.createDirectories(copy.resolve("runtime/bin")).getParent();
    Path cache = Files.createDirectories(runtime.resolve("lib")).resolve(process + ".aot");
    if (Files.exists(Packages.folder(process).resolve("runtime/lib/" + process + ".aot"))) {
      Files.createFile(cache);
    }
    Path java = runtime.resolve("bin/java");
    Files.writeString(java, "#!/bin/sh\necho \"$0\"\nfor each; do echo \"$each\"; done\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Process launcher =
        new ProcessBuilder(copy.resolve("bin/fleetgauge").toString(), process)
            .redirectErrorStream(true)
            .start();
    String said = new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    List<String> line = new ArrayList<>();
    config.at("/config/Entrypoint").forEach(each -> line.add(each.asText()));
    assertThat(line)
        .isEqualTo(
            said.lines().map(each -> each.replace(copy.toString(), "/opt/fleetgauge")).toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"probe", "gateway", "query"})
  void theListOfContentsIsValidAndHasEveryJarAndPackage(String process) throws Exception {
    read(process);
    byte[] list = Files.readAllBytes(Packages.beside(file, "cdx.json"));
    assertThat(new JsonParser().validate(list, Version.VERSION_16)).isEmpty();
    JsonNode bom = JSON.readTree(list);
    assertThat(bom.at("/metadata/component/purl").asText())
        .startsWith("pkg:oci/fleetgauge-" + process + "@sha256");
    assertThat(bom.at("/metadata/component/hashes/0/content").asText())
        .isEqualTo(idBeside().replace("sha256:", ""));
    Set<String> hashes = new HashSet<>();
    Set<String> packages = new HashSet<>();
    for (JsonNode component : bom.get("components")) {
      assertThat(component.at("/licenses").isEmpty()).as(component.toString()).isFalse();
      hashes.add(component.at("/hashes/0/content").asText());
      if (component.get("purl").asText().startsWith("pkg:deb/debian/")) {
        packages.add(component.get("name").asText());
      }
    }
    Set<String> described = new HashSet<>();
    for (String each : layers) {
      try (TarArchiveInputStream tar =
          new TarArchiveInputStream(
              new GZIPInputStream(new ByteArrayInputStream(blobs.get(each))))) {
        for (TarArchiveEntry entry; (entry = tar.getNextEntry()) != null; ) {
          if (entry.getName().endsWith(".jar") && !entry.getName().contains("runtime/")) {
            assertThat(hashes).as(entry.getName()).contains(sha256(tar.readAllBytes()));
          }
          if (entry.getName().startsWith("var/lib/dpkg/status.d/") && !entry.isDirectory()) {
            described.add(entry.getName().substring("var/lib/dpkg/status.d/".length()));
          }
        }
      }
    }
    assertThat(packages).isEqualTo(described).contains("libc6", "ca-certificates", "base-files");
  }

  @Test
  void theSameFolderGivesTheSameBytesAndOtherJarsOfOursAnotherLastLayerOnly() throws Exception {
    Path home = Packages.folder("probe");
    JsonNode labels = config.at("/config/Labels");
    String prefix = "org.opencontainers.image.";
    String revision = labels.path(prefix + "revision").asText("");
    Instant created = Instant.parse(labels.get(prefix + "created").asText());
    ProcessImage.Release release =
        new ProcessImage.Release(labels.get(prefix + "version").asText(), revision, created);
    Path again = make(home, release, "again");
    for (String ending : List.of("tar", "id", "cdx.json")) {
      assertThat(Packages.beside(again, ending))
          .hasSameBinaryContentAs(Packages.beside(file, ending));
    }
    Path changed = make(newRelease(home), release, "changed");
    List<String> after = layers(JSON.readTree(blobs(changed).get("manifest.json")).get(0));
    assertThat(after).hasSameSizeAs(layers).startsWith(layers.get(0), layers.get(1), layers.get(2));
    assertThat(after.getLast()).isNotEqualTo(layers.getLast());
  }

  private Path make(Path home, ProcessImage.Release release, String name) throws Exception {
    Path sources = Path.of(System.getProperty("fleetgauge.root"), "distribution/src/main/image");
    Path work = Files.createDirectory(folder.resolve(name));
    return ProcessImage.make(
        home, release, sources, Packages.base(), work, folder.resolve(name + "-images"));
  }

  /** A copy of the folder with other jars of ours. */
  private Path newRelease(Path home) throws IOException {
    Path copy = folder.resolve("new/probe");
    try (Stream<Path> all = Files.walk(home)) {
      for (Path each : (Iterable<Path>) all::iterator) {
        Path to = copy.resolve(home.relativize(each).toString());
        if (Files.isDirectory(each)) {
          Files.createDirectories(to);
        } else if (each.getFileName().toString().startsWith("node-probe-")) {
          Files.write(to, new byte[] {1});
          Files.setLastModifiedTime(to, FileTime.from(Instant.EPOCH));
        } else {
          // The same file under another name: no library is changed by it.
          Files.createLink(to, each);
        }
      }
    }
    return copy;
  }
}
