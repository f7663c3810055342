package io.fleetgauge.distribution.packages;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/**
 * A package of Debian: an ar archive of its version, a tar archive of what dpkg has to know, and
 * one of files.
 *
 * <p>jdeb makes such packages too. It takes the version from the environment where that has one,
 * writes fields that Debian does not know, and brings Maven and Ant along.
 */
final class DebianPackage {
  private final Contents contents;
  private final Release release;
  private final StringBuilder sums = new StringBuilder();
  private final StringBuilder configurations = new StringBuilder();
  private long kibibytes;

  private DebianPackage(Contents contents) {
    this.contents = contents;
    this.release = contents.release();
  }

  /** Writes the package into a folder. */
  static Path write(Contents common, Path folder) throws IOException {
    String name = common.process().packageName();
    Contents contents =
        common.with(
            Entry.File.of(
                common.documentation() + "/changelog.gz",
                Contents.gzip(changelog(common).getBytes(StandardCharsets.UTF_8))),
            Entry.File.of(
                "/usr/share/lintian/overrides/" + name, common.text("deb/lintian-overrides")));
    Path file =
        folder.resolve(
            name
                + "_"
                + common.release().packageVersion()
                + "_"
                + Release.debianArchitecture()
                + ".deb");
    new DebianPackage(contents).writeTo(file);
    return file;
  }

  private static String changelog(Contents contents) {
    return """
    %s (%s) unstable; urgency=medium

      * What has changed is in CHANGELOG.md of the sources.

     -- %s  %s
    """
        .formatted(
            contents.process().packageName(),
            contents.release().packageVersion(),
            Release.MAINTAINER,
            contents.release().mailTime());
  }

  private void writeTo(Path file) throws IOException {
    Path data = Files.createTempFile(file.getParent(), "data", ".tar.gz");
    try {
      try (OutputStream out = Files.newOutputStream(data);
          TarArchiveOutputStream tar = tar(gzip(out))) {
        put(tar, folder("./"));
        for (Entry entry : contents.entries()) {
          put(tar, entry);
        }
      }
      byte[] control = control();
      try (ArArchiveOutputStream ar = new ArArchiveOutputStream(Files.newOutputStream(file))) {
        put(ar, "debian-binary", "2.0\n".getBytes(StandardCharsets.US_ASCII));
        put(ar, "control.tar.gz", control);
        ar.putArchiveEntry(member("data.tar.gz", Files.size(data)));
        Files.copy(data, ar);
        ar.closeArchiveEntry();
      }
    } finally {
      Files.delete(data);
    }
  }

  private void put(TarArchiveOutputStream tar, Entry entry) throws IOException {
    String name = "." + entry.path();
    switch (entry) {
      case Entry.Folder _ -> {
        put(tar, folder(name + "/"));
        kibibytes++;
      }
      case Entry.Link link -> {
        TarArchiveEntry in = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
        in.setLinkName(link.target());
        in.setMode(0777);
        put(tar, in);
        kibibytes++;
      }
      case Entry.File file -> {
        byte[] bytes = file.content().bytes();
        put(tar, name, file.mode(), bytes);
        kibibytes += (bytes.length + 1023) / 1024;
        if (file.isConfiguration()) {
          configurations.append(file.path()).append('\n');
        } else {
          sums.append(md5(bytes)).append("  ").append(file.path().substring(1)).append('\n');
        }
      }
    }
  }

  private byte[] control() throws IOException {
    PackagedProcess process = contents.process();
    Map<String, Integer> modes = new LinkedHashMap<>();
    Map<String, String> files = new LinkedHashMap<>();
    files.put("conffiles", configurations.toString());
    files.put("control", fields(process));
    files.put("md5sums", sums.toString());
    for (String script : new String[] {"postinst", "postrm", "prerm"}) {
      files.put(script, contents.text("deb/" + script));
      modes.put(script, 0755);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (TarArchiveOutputStream tar = tar(gzip(out))) {
      put(tar, folder("./"));
      for (Map.Entry<String, String> file : files.entrySet()) {
        put(
            tar,
            "./" + file.getKey(),
            modes.getOrDefault(file.getKey(), 0644),
            file.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
    return out.toByteArray();
  }

  private String fields(PackagedProcess process) {
    // passwd, for the user where there is no systemd, is in every installation but not essential.
    return """
    Package: %s
    Version: %s
    Architecture: %s
    Maintainer: %s
    Installed-Size: %d
    Depends: libc6 (>= %s), passwd
    Section: net
    Priority: optional
    Description: metrics of large GPU fleets, %s
    %s
    """
        .formatted(
            process.packageName(),
            release.packageVersion(),
            Release.debianArchitecture(),
            Release.MAINTAINER,
            kibibytes,
            contents.glibc(),
            process.summary(),
            process.description().indent(1).stripTrailing());
  }

  /** Most bytes are compressed already: xz takes fifteen times as long for 7 % less. */
  private static OutputStream gzip(OutputStream out) throws IOException {
    return new GzipCompressorOutputStream(out, new GzipParameters());
  }

  private static TarArchiveOutputStream tar(OutputStream out) {
    TarArchiveOutputStream tar = new TarArchiveOutputStream(out, "UTF-8");
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
    return tar;
  }

  private static TarArchiveEntry folder(String name) {
    TarArchiveEntry folder = new TarArchiveEntry(name);
    folder.setMode(0755);
    return folder;
  }

  private void put(TarArchiveOutputStream tar, String name, int mode, byte[] bytes)
      throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name);
    entry.setMode(mode);
    entry.setSize(bytes.length);
    complete(entry);
    tar.putArchiveEntry(entry);
    tar.write(bytes);
    tar.closeArchiveEntry();
  }

  private void put(TarArchiveOutputStream tar, TarArchiveEntry entry) throws IOException {
    complete(entry);
    tar.putArchiveEntry(entry);
    tar.closeArchiveEntry();
  }

  private void complete(TarArchiveEntry entry) {
    entry.setModTime(Date.from(release.time()));
    entry.setIds(0, 0);
    entry.setNames("root", "root");
  }

  private ArArchiveEntry member(String name, long size) {
    return new ArArchiveEntry(name, size, 0, 0, 0100644, release.time().getEpochSecond());
  }

  private void put(ArArchiveOutputStream ar, String name, byte[] bytes) throws IOException {
    ar.putArchiveEntry(member(name, bytes.length));
    ar.write(bytes);
    ar.closeArchiveEntry();
  }

  private static String md5(byte[] bytes) {
    try {
      byte[] hash = MessageDigest.getInstance("MD5").digest(bytes);
      return String.format("%032x", new BigInteger(1, hash));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
