package io.fleetgauge.distribution.image;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * An image in one tar file, that is an OCI layout and what {@code docker save} writes at once: all
 * programs that load or copy images read one of the two. The manifest is of Docker's type, because
 * only with it Podman takes over the health check; registries and runtimes know both.
 */
final class ImageArchive {
  private static final String MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
  private static final String CONFIG = "application/vnd.docker.container.image.v1+json";
  private static final String LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final String name;
  private final String version;
  private final Instant time;
  private final List<Layer> layers;
  private final byte[] config;
  private final byte[] manifest;

  /**
   * An image.
   *
   * @param execution how it is run: the key {@code config} of its configuration
   */
  ImageArchive(
      String name,
      String version,
      String architecture,
      Instant time,
      Map<String, Object> execution,
      List<Layer> layers)
      throws IOException {
    this.name = name;
    this.version = version;
    this.time = time;
    this.layers = layers;
    this.config = JSON.writeValueAsBytes(configuration(architecture, execution));
    this.manifest = JSON.writeValueAsBytes(manifest());
  }

  /** By which registries and clusters name the image: of its manifest. */
  Digest digest() {
    return Digest.of(manifest);
  }

  /** Which Docker and Podman show as the id of the image. */
  Digest id() {
    return Digest.of(config);
  }

  private Map<String, Object> configuration(String architecture, Map<String, Object> execution) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("architecture", architecture);
    all.put("os", "linux");
    all.put("created", time.toString());
    all.put("config", execution);
    List<Object> history = new ArrayList<>();
    for (Layer layer : layers) {
      history.add(Map.of("created_by", layer.purpose()));
    }
    all.put("history", history);
    Map<String, Object> files = new LinkedHashMap<>();
    files.put("type", "layers");
    files.put("diff_ids", layers.stream().map(layer -> layer.diffId().toString()).toList());
    all.put("rootfs", files);
    return all;
  }

  private Map<String, Object> manifest() throws IOException {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("schemaVersion", 2);
    all.put("mediaType", MANIFEST);
    all.put("config", descriptor(CONFIG, id(), config.length));
    List<Object> parts = new ArrayList<>();
    for (Layer layer : layers) {
      parts.add(descriptor(LAYER, layer.digest(), layer.size()));
    }
    all.put("layers", parts);
    return all;
  }

  private static Map<String, Object> descriptor(String type, Digest digest, long size) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("mediaType", type);
    all.put("digest", digest.toString());
    all.put("size", size);
    return all;
  }

  private Map<String, Object> index() {
    Map<String, Object> described = descriptor(MANIFEST, digest(), manifest.length);
    Map<String, String> annotations = new LinkedHashMap<>();
    // What a node's containerd has to know it by, for a Pod to find it.
    annotations.put("io.containerd.image.name", "docker.io/library/" + name + ":" + version);
    annotations.put("org.opencontainers.image.ref.name", version);
    described.put("annotations", annotations);
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("schemaVersion", 2);
    all.put("manifests", List.of(described));
    return all;
  }

  private List<Object> dockerManifest() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("Config", blob(id()));
    all.put("RepoTags", List.of(name + ":" + version));
    all.put("Layers", layers.stream().map(layer -> blob(layer.digest())).toList());
    return List.of(all);
  }

  private static String blob(Digest digest) {
    return "blobs/sha256/" + digest.hex();
  }

  void write(Path file) throws IOException {
    try (TarArchiveOutputStream tar =
        new TarArchiveOutputStream(
            new BufferedOutputStream(Files.newOutputStream(file)), StandardCharsets.UTF_8.name())) {
      put(tar, "oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}".getBytes(StandardCharsets.UTF_8));
      put(tar, "index.json", JSON.writeValueAsBytes(index()));
      put(tar, "manifest.json", JSON.writeValueAsBytes(dockerManifest()));
      put(tar, blob(digest()), manifest);
      put(tar, blob(id()), config);
      for (Layer layer : layers) {
        try (InputStream in = Files.newInputStream(layer.file())) {
          put(tar, blob(layer.digest()), layer.size(), in);
        }
      }
    }
  }

  private void put(TarArchiveOutputStream tar, String path, byte[] bytes) throws IOException {
    put(tar, path, bytes.length, new ByteArrayInputStream(bytes));
  }

  private void put(TarArchiveOutputStream tar, String path, long size, InputStream in)
      throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(path);
    entry.setSize(size);
    entry.setMode(0644);
    entry.setLastModifiedTime(FileTime.from(time));
    tar.putArchiveEntry(entry);
    in.transferTo(tar);
    tar.closeArchiveEntry();
  }
}
