package io.fleetgauge.sample.journal;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The segment files of one journal. Safe for all threads, each segment for one at a time. */
final class JournalFolder {
  private static final Logger LOG = LoggerFactory.getLogger(JournalFolder.class);

  private final Path path;
  private final PrivateFiles.Opener opener;
  private final LongAdder damagedBytes = new LongAdder();

  /** True if the folder's own name is on the disk. */
  private volatile boolean isNamed;

  private JournalFolder(Path path, PrivateFiles.Opener opener) {
    this.path = path;
    this.opener = opener;
  }

  /**
   * @throws IOException if the folder cannot be created or used
   */
  static JournalFolder open(Path path, PrivateFiles.Opener opener) throws IOException {
    PrivateFiles.claim(path, SegmentFormat::isSegment, opener);
    requireReadable(path);
    return new JournalFolder(path, opener);
  }

  /**
   * Fails if a segment was written by a newer program: its records would be taken for damage. One
   * segment whose version differs in one bit is taken for a damaged one.
   */
  private static void requireReadable(Path path) throws IOException {
    int newer = 0;
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        int known =
            SegmentFormat.number(file) >= 0
                ? SegmentFormat.HEADER[SegmentFormat.VERSION_AT]
                : SegmentFormat.PACKED_HEADER[SegmentFormat.VERSION_AT];
        int version = SegmentFormat.isSegment(file.getFileName().toString()) ? version(file) : -1;
        if (version > known && (++newer > 1 || Integer.bitCount(version ^ known) > 1)) {
          throw new IOException(
              "the segment "
                  + file
                  + " has format version "
                  + version
                  + ", this program reads up to "
                  + known
                  + "; run the release of Fleetgauge that wrote it, or move the folder away: then"
                  + " what is in it is lost here");
        }
      }
    }
  }

  /** The version in a segment's header; -1 if it has none that is one. */
  private static int version(Path file) throws IOException {
    byte[] header = new byte[SegmentFormat.HEADER.length];
    try (InputStream in = Files.newInputStream(file)) {
      if (in.readNBytes(header, 0, header.length) < header.length) {
        return -1;
      }
    }
    return header[0] == 'F' && header[1] == 'G' && header[2] == 'J'
        ? header[SegmentFormat.VERSION_AT] & 0xff
        : -1;
  }

  /**
   * Numbers of the segments with their bytes. Other files are ignored.
   *
   * @throws IOException if the folder cannot be listed
   */
  TreeMap<Long, Long> sizes() throws IOException {
    TreeMap<Long, Long> sizes = new TreeMap<>();
    TreeMap<Long, Long> packed = new TreeMap<>();
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (SegmentFormat.number(file) >= 0) {
          sizes.put(SegmentFormat.number(file), Files.size(file));
        } else if (SegmentFormat.packedNumber(file) >= 0) {
          packed.put(SegmentFormat.packedNumber(file), Files.size(file));
        }
      }
    }
    sizes.putAll(packed);
    return sizes;
  }

  /** Removes what a process that ended while it packed a segment has left. */
  void removeLeftovers() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        long number = SegmentFormat.number(file);
        // A packed segment got its name when it was complete and on the disk.
        if (SegmentFormat.isUnfinished(file) || number >= 0 && isPacked(number)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  boolean isPacked(long number) {
    return Files.exists(SegmentFormat.packedFile(path, number));
  }

  /** Reads a packed segment from its beginning; damage is logged and counted. */
  PackedSegment packed(long number, Packing packing) throws IOException {
    return new PackedSegment(SegmentFormat.packedFile(path, number), packing, this::damaged);
  }

  /**
   * Writes the records of a closed segment in fewer bytes, beside it.
   *
   * @return the bytes; -1 if the segment stays as it is, because it is damaged or would take as
   *     many
   * @throws IOException if it cannot be read or written; nothing is left of it then
   */
  long pack(long number, Packing packing) throws IOException {
    LongAdder damage = new LongAdder();
    List<byte[]> records = new ArrayList<>();
    long before;
    try (Arena arena = Arena.ofConfined()) {
      SegmentReader reader =
          new SegmentReader(
              SegmentFormat.file(path, number),
              SegmentFormat.HEADER,
              (of, offset, length, reason) -> damage.increment(),
              arena);
      for (byte[] record = reader.next(); record != null; record = reader.next()) {
        records.add(record);
      }
      before = reader.goodEnd();
    }
    if (damage.sum() > 0 || records.isEmpty()) {
      return -1;
    }
    List<Packing.Part> parts = packing.pack(records);
    long bytes = parts.stream().mapToLong(part -> part.bytes().length).sum();
    return bytes < before
        ? PackedSegment.write(opener, SegmentFormat.packedFile(path, number), parts)
        : -1;
  }

  /** Removes a segment that is packed in the form that it had before. */
  void deleteUnpacked(long number) {
    delete(SegmentFormat.file(path, number));
  }

  /** Reads a segment from its beginning; damage is logged and counted. */
  SegmentReader reader(long number) throws IOException {
    return new SegmentReader(SegmentFormat.file(path, number), this::damaged);
  }

  /**
   * All undamaged records of a segment. Of one that is being written, those that are whole by now.
   *
   * @throws IOException if it does not exist or cannot be read
   */
  List<byte[]> read(long number) throws IOException {
    SegmentReader reader = reader(number);
    List<byte[]> found = new ArrayList<>();
    for (byte[] record = reader.next(); record != null; record = reader.next()) {
      found.add(record);
    }
    return found;
  }

  private void damaged(Path file, long offset, long length, String reason) {
    LOG.error(
        "the journal {} is damaged at byte {}: {}; {} bytes are lost",
        file,
        offset,
        reason,
        length);
    damagedBytes.add(length);
  }

  /** Bytes of damage that were found so far. */
  long damagedBytes() {
    return damagedBytes.sum();
  }

  /** Begins a segment for writing. */
  SegmentWriter begin(long number) throws IOException {
    if (!isNamed) {
      forceName();
      isNamed = true;
    }
    return SegmentWriter.begin(opener, path, number);
  }

  /**
   * Cuts off what a crash left unfinished at the end.
   *
   * @return whether it is cut; each start skips it, so a disk that cannot be written loses nothing
   */
  boolean cut(long number, SegmentReader reader) {
    Path file = SegmentFormat.file(path, number);
    LOG.warn(
        "the journal {} has {} unfinished bytes from byte {} on; they are cut off",
        file,
        reader.tornBytes(),
        reader.goodEnd());
    try (FileChannel torn = opener.open(file, StandardOpenOption.WRITE)) {
      torn.truncate(reader.goodEnd());
      return true;
    } catch (IOException e) {
      LOG.warn("the journal {} cannot be cut: {}", file, e.toString());
      return false;
    }
  }

  /** Forces a segment to the disk that a process which was killed has left. */
  void force(long number) {
    Path file = SegmentFormat.file(path, number);
    try (FileChannel left = opener.open(file, StandardOpenOption.WRITE)) {
      left.force(true);
    } catch (IOException e) {
      LOG.warn("the journal {} cannot be forced to the disk: {}", file, e.toString());
    }
  }

  /** Without this a power failure may lose the folder that a process has just created. */
  private void forceName() throws IOException {
    Path parent = path.toAbsolutePath().getParent();
    try {
      if (parent != null) {
        PrivateFiles.forceNames(parent, opener);
      }
    } catch (AccessDeniedException e) {
      LOG.debug(
          "the process may not read {}: its creator must sync the name of {} to disk",
          parent,
          path);
    }
  }

  void delete(long number) {
    delete(SegmentFormat.file(path, number));
    delete(SegmentFormat.packedFile(path, number));
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("a segment of the journal cannot be removed: {}", e.toString());
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
