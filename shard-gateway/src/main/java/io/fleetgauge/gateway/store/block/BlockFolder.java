package io.fleetgauge.gateway.store.block;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The files of blocks: {@code HOST/FROM-TO.block}, the host's name escaped as in a URL. */
public final class BlockFolder {
  /** Stands for the number of a damaged file: opening it will report it. */
  private static final int UNKNOWN = -1;

  private BlockFolder() {}

  public static Path of(Path root, String host) {
    String name = URLEncoder.encode(host, StandardCharsets.UTF_8);
    // URLEncoder leaves dots as they are, but these two names have a meaning of their own.
    return root.resolve(name.equals(".") || name.equals("..") ? name.replace(".", "%2E") : name);
  }

  public static String name(long from, long to) {
    return from + "-" + to + BlockFormat.SUFFIX;
  }

  /** The hosts that have a folder. */
  public static List<String> hosts(Path root) throws IOException {
    if (!Files.isDirectory(root)) {
      return List.of();
    }
    try (Stream<Path> folders = Files.list(root)) {
      return folders
          .filter(Files::isDirectory)
          .map(folder -> URLDecoder.decode(folder.getFileName().toString(), StandardCharsets.UTF_8))
          .sorted()
          .toList();
    }
  }

  /** The blocks of a host in order of time; unfinished files are removed. */
  public static List<Path> blocks(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    List<Path> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.getFileName().toString();
        if (name.endsWith(BlockFormat.UNFINISHED)) {
          Files.delete(file);
        } else if (name.endsWith(BlockFormat.SUFFIX)) {
          found.add(file);
        }
      }
    }
    found.sort(Comparator.comparingLong(BlockFolder::from));
    return found;
  }

  /**
   * Fails if a block was written by a release that this program does not follow: its samples would
   * be taken for lost. One block whose version differs in one bit is taken for a damaged one.
   *
   * @throws IOException the message names the block, both versions, and what to do
   */
  public static void requireReadable(Path root) throws IOException {
    Map<Integer, Integer> others = new HashMap<>();
    for (String host : hosts(root)) {
      try (Stream<Path> files = Files.list(of(root, host))) {
        for (Path file : (Iterable<Path>) files::iterator) {
          int version =
              file.getFileName().toString().endsWith(BlockFormat.SUFFIX) ? version(file) : UNKNOWN;
          if (version == UNKNOWN || version == BlockFormat.VERSION) {
            continue;
          }
          if (others.merge(version, 1, Integer::sum) > 1
              || Integer.bitCount(version ^ BlockFormat.VERSION) > 1) {
            throw new IOException(
                "the block "
                    + file
                    + " has format version "
                    + version
                    + ", this program reads version "
                    + BlockFormat.VERSION
                    + "; run the release of Fleetgauge that wrote it, or move "
                    + root
                    + " away: then the samples in it are fetched from other gateways, as far as"
                    + " they have them");
          }
        }
      }
    }
  }

  /** The version in a block's header; {@link #UNKNOWN} if it has none that is one. */
  private static int version(Path file) throws IOException {
    byte[] header = new byte[BlockFormat.HEADER_BYTES];
    try (InputStream in = Files.newInputStream(file)) {
      if (in.readNBytes(header, 0, header.length) < header.length) {
        return UNKNOWN;
      }
    }
    return header[0] == 'F' && header[1] == 'G' && header[2] == 'B' && header[3] == 'K'
        ? header[4] & 0xff
        : UNKNOWN;
  }

  /** The name of a block until it is complete, or has been checked; a start removes such files. */
  public static Path unfinished(Path file) {
    return file.resolveSibling(file.getFileName() + BlockFormat.UNFINISHED);
  }

  /**
   * Writes a block file, under another name until it is complete and on the disk. Afterwards a
   * power failure does not lose it.
   *
   * @throws IOException if it cannot be written; nothing is left of it then
   */
  public static void put(Path file, ByteBuffer bytes) throws IOException {
    put(file, bytes, PrivateFiles::open);
  }

  static void put(Path file, ByteBuffer bytes, PrivateFiles.Opener opener) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    PrivateFiles.createFolders(folder, opener);
    Path unfinished = unfinished(file);
    try {
      try (FileChannel channel =
          opener.open(
              unfinished,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Files.deleteIfExists(unfinished);
      throw e;
    }
    try {
      PrivateFiles.forceNames(folder, opener);
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }

  /** The first time of a block by its name; the minimum if the name has none. */
  public static long from(Path file) {
    String name = file.getFileName().toString();
    return number(name, 0, Math.max(0, name.indexOf('-', 1)), Long.MIN_VALUE);
  }

  /** The time after a block by its name; the maximum if the name has none. */
  public static long to(Path file) {
    String name = file.getFileName().toString();
    int end = name.length() - BlockFormat.SUFFIX.length();
    return number(name, Math.min(end, name.indexOf('-', 1) + 1), end, Long.MAX_VALUE);
  }

  private static long number(String name, int from, int to, long otherwise) {
    try {
      return Long.parseLong(name, from, to, 10);
    } catch (NumberFormatException e) {
      return otherwise; // opening the file will fail and be reported
    }
  }
}
