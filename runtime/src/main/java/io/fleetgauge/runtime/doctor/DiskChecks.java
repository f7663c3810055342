package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.terminal.Figures;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** Checks that folders can be written and are large enough, and measures their disks. */
record DiskChecks(ExaminedProcess process, Findings findings, boolean measures) {
  private static final int CHUNK = 1 << 20;
  private static final int CHUNKS = 32;
  private static final int SYNCS = 20;
  private static final int SYNCED_BYTES = 4 << 10;
  private static final double WARN_SYNC_MILLIS = 20;
  private static final double FAIL_SYNC_MILLIS = 500;
  private static final double WARN_RATE = 50e6;
  private static final double WARN_FREE = 0.1;
  private static final double FAIL_FREE = 0.03;
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");
  private static final Set<String> REMOTE =
      Set.of("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "ceph", "lustre", "glusterfs");

  void run() {
    process.folders().forEach(this::folder);
  }

  private void folder(ExaminedProcess.Folder folder) {
    Path path = folder.path().toAbsolutePath();
    String name = folder.key() + " " + path;
    Path existing = path;
    while (existing != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    if (existing == null || !Files.isDirectory(existing)) {
      findings.failure(
          name + ": " + existing + " is no folder", "set " + folder.key() + " to a folder");
      return;
    }
    if (!existing.equals(path)) {
      findings.ok(name + " does not exist yet; it will be created in " + existing);
    }
    try {
      space(folder, name, existing);
      write(folder, name, existing);
      if (existing.equals(path)) {
        permissions(name, path);
      }
    } catch (IOException e) {
      findings.failure(
          name + " cannot be written as user " + System.getProperty("user.name") + ": " + e,
          "give the folder to the user that the process runs as, or mount its file system for"
              + " writing; or choose another folder with "
              + folder.key());
    }
  }

  private void space(ExaminedProcess.Folder folder, String name, Path existing) {
    String type = type(existing);
    long free = existing.toFile().getUsableSpace();
    long total = existing.toFile().getTotalSpace();
    if (IN_MEMORY.contains(type)) {
      findings.warning(
          name + " is in memory (" + type + "), and is lost when the machine restarts",
          "choose a folder on a disk with " + folder.key());
    }
    if (REMOTE.contains(type)) {
      findings.warning(
          name + " is on another machine (" + type + ")",
          "choose a folder on a disk of this machine with "
              + folder.key()
              + ": files are mapped, locked and synced");
    }
    String text =
        "%s: %s of %s are free (%s)"
            .formatted(name, Figures.bytes(free), Figures.bytes(total), type);
    long used = used(folder.path());
    if (total == 0) {
      findings.skipped(name + ": the size of its file system cannot be read");
    } else if (free < FAIL_FREE * total) {
      findings.failure(text, "free space; samples are rejected when the disk is full");
    } else if (free < WARN_FREE * total) {
      findings.warning(text, "free space; samples are rejected when the disk is full");
    } else if (used + free < folder.maxBytes()) {
      findings.warning(
          "%s, and %s lets the process take %s"
              .formatted(text, folder.maxKey(), Figures.bytes(folder.maxBytes())),
          "set %s to less than %s, or use a larger disk"
              .formatted(folder.maxKey(), Figures.bytes(used + free)));
    } else {
      findings.ok(text);
    }
  }

  /** The type of its file system, such as ext4. */
  private static String type(Path existing) {
    try {
      return Files.getFileStore(existing).type();
    } catch (IOException e) {
      return "of unknown type"; // not in the table of mounts, as in some containers
    }
  }

  private static long used(Path folder) {
    try (var files = Files.walk(folder)) {
      return files.mapToLong(file -> file.toFile().isFile() ? file.toFile().length() : 0).sum();
    } catch (IOException | UncheckedIOException e) {
      return 0; // it does not exist yet, or files come and go
    }
  }

  private void write(ExaminedProcess.Folder folder, String name, Path existing) throws IOException {
    Path file = existing.resolve("fleetgauge-doctor-" + ProcessHandle.current().pid());
    try (FileChannel channel =
        PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      if (!measures) {
        channel.write(ByteBuffer.wrap(new byte[] {1}));
        channel.force(true);
        findings.ok(name + " can be written");
        return;
      }
      double rate = rate(channel);
      double[] syncs = syncs(channel);
      String text =
          String.format(
              Locale.ROOT,
              "%s takes %s/s; a sync takes %.1f ms, at most %.1f ms",
              name,
              Figures.bytes(rate),
              syncs[SYNCS / 2],
              syncs[SYNCS - 1]);
      String advice = "use a faster disk that no other program keeps busy";
      if (folder.syncs() && syncs[SYNCS / 2] > FAIL_SYNC_MILLIS) {
        findings.failure(text, advice);
      } else if (folder.syncs() && (syncs[SYNCS / 2] > WARN_SYNC_MILLIS || rate < WARN_RATE)) {
        findings.warning(text, advice);
      } else {
        findings.ok(text);
      }
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** Bytes in a second, with a sync at the end. */
  private static double rate(FileChannel channel) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
    long begin = System.nanoTime();
    for (int i = 0; i < CHUNKS; i++) {
      chunk.clear();
      while (chunk.hasRemaining()) {
        channel.write(chunk);
      }
    }
    channel.force(true);
    return (double) CHUNKS * CHUNK * 1e9 / (System.nanoTime() - begin);
  }

  /** Durations of syncs, sorted, ms. */
  private static double[] syncs(FileChannel channel) throws IOException {
    double[] millis = new double[SYNCS];
    ByteBuffer little = ByteBuffer.allocateDirect(SYNCED_BYTES);
    for (int i = 0; i < SYNCS; i++) {
      little.clear();
      long begin = System.nanoTime();
      while (little.hasRemaining()) {
        channel.write(little);
      }
      channel.force(false);
      millis[i] = (System.nanoTime() - begin) / 1e6;
    }
    Arrays.sort(millis);
    return millis;
  }

  private void permissions(String name, Path path) throws IOException {
    if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return;
    }
    String permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    if (!permissions.endsWith("---")) {
      findings.warning(
          "all users of this machine may use " + name + " (" + permissions + ")",
          "run chmod 700 " + path + "; the process does so at its start if it may");
    }
    String owner = Files.getOwner(path).getName();
    String user = System.getProperty("user.name");
    if (!owner.equals(user)) {
      findings.warning(
          name + " belongs to " + owner + ", and this check runs as " + user,
          "run doctor as the user that the process runs as, such as with sudo -u " + owner);
    }
  }
}
