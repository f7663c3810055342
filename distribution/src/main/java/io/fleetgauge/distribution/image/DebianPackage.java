package io.fleetgauge.distribution.image;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * A package of Debian, of which files are taken.
 *
 * @param path where a mirror has it
 * @param sha256 of the package, as Debian's signed index has it
 * @param licence of the files that are taken
 */
record DebianPackage(
    String name, String architecture, String version, String path, String sha256, String licence) {

  /** All packages of the list for an architecture, as Debian calls it. */
  static List<DebianPackage> listed(String architecture) throws IOException {
    try (InputStream in = DebianPackage.class.getResourceAsStream("debian.tsv");
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split("\t"))
          .map(
              column ->
                  new DebianPackage(
                      column[0], column[1], column[2], column[3], column[4], column[5]))
          .filter(each -> each.architecture.equals(architecture))
          .toList();
    }
  }

  String fileName() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /**
   * What a package has.
   *
   * @param control its description, as dpkg keeps it
   * @param files files and links by path
   */
  record Content(String control, Map<String, Entry> files) {}

  static Content unpack(byte[] deb) throws IOException {
    String control = "";
    Map<String, Entry> files = new TreeMap<>();
    try (ArArchiveInputStream parts = new ArArchiveInputStream(new ByteArrayInputStream(deb))) {
      for (ArArchiveEntry part; (part = parts.getNextEntry()) != null; ) {
        if (part.getName().equals("control.tar.xz")) {
          Entry description = tar(parts).get("control");
          control = new String(((Entry.Bytes) description).content(), StandardCharsets.UTF_8);
        } else if (part.getName().equals("data.tar.xz")) {
          files = tar(parts);
        }
      }
    }
    if (control.isEmpty() || files.isEmpty()) {
      throw new IOException("a package without control.tar.xz or data.tar.xz");
    }
    return new Content(control, files);
  }

  private static Map<String, Entry> tar(InputStream in) throws IOException {
    Map<String, Entry> files = new TreeMap<>();
    // Not closed: what it reads goes on behind this part.
    TarArchiveInputStream tar = new TarArchiveInputStream(new XZCompressorInputStream(in));
    for (TarArchiveEntry entry; (entry = tar.getNextEntry()) != null; ) {
      String path = entry.getName().replaceFirst("^\\./", "");
      if (entry.isSymbolicLink()) {
        files.put(path, new Entry.Link(path, entry.getLinkName()));
      } else if (entry.isLink()) {
        Entry.Bytes same = (Entry.Bytes) files.get(entry.getLinkName().replaceFirst("^\\./", ""));
        files.put(path, new Entry.Bytes(path, same.executable(), same.content()));
      } else if (entry.isFile()) {
        files.put(path, new Entry.Bytes(path, (entry.getMode() & 0100) != 0, tar.readAllBytes()));
      }
    }
    return files;
  }
}
