package io.fleetgauge.runtime.discovery;

import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last good answer, kept over restarts. Text in lines:
 *
 * <pre>
 *   fleetgauge-discovery 1 SOURCE MILLIS CRC
 *   10.0.0.1:5701
 *   ...
 * </pre>
 *
 * SOURCE is a checksum of who was asked for what, MILLIS the time of the answer since the epoch,
 * CRC a CRC-32C of the lines that follow; both checksums are in hexadecimal. The file is written
 * under another name first, so it is complete or absent.
 */
final class AddressCache {
  private static final Logger LOG = LoggerFactory.getLogger(AddressCache.class);
  private static final String BEGINNING = "fleetgauge-discovery 1 ";
  private static final int LONGEST_LINE = 300;

  private final Path file;
  private final String source;
  private final int maxAddresses;
  private volatile long failures;

  AddressCache(Path file, DiscoverySettings settings) {
    this.file = file;
    this.source = checksum(settings.source().toString());
    this.maxAddresses = settings.maxAddresses();
  }

  private static String checksum(String text) {
    CRC32C sum = new CRC32C();
    sum.update(text.getBytes(StandardCharsets.UTF_8));
    return Long.toHexString(sum.getValue());
  }

  /** Times that the file could not be read or written. */
  long failures() {
    return failures;
  }

  /** Reads what was kept; empty if there is nothing, or if somebody else was asked for it. */
  Optional<DiscoveryMachine.Event.Cached> read() {
    try {
      if (!Files.exists(file)) {
        return Optional.empty();
      }
      if (Files.size(file) > (long) LONGEST_LINE * (maxAddresses + 1)) {
        throw new IOException("it is too long");
      }
      List<String> lines = Files.readAllLines(file);
      String[] head = lines.isEmpty() ? new String[0] : lines.getFirst().split(" ");
      if (head.length != 5
          || !lines.getFirst().startsWith(BEGINNING)
          || !head[3].matches("\\d{1,18}")) {
        throw new IOException("it is not of this form");
      }
      if (!head[2].equals(source)) {
        LOG.info("the addresses in {} are of another source, and are not used", file);
        return Optional.empty();
      }
      if (!head[4].equals(checksum(text(lines.subList(1, lines.size()))))) {
        throw new IOException("its checksum is wrong");
      }
      AddressList list = new AddressList(maxAddresses);
      for (String line : lines.subList(1, lines.size())) {
        list.add(line, "a line", 0);
      }
      return Optional.of(
          new DiscoveryMachine.Event.Cached(list.found().addresses(), Long.parseLong(head[3])));
    } catch (IOException | BadAnswer e) {
      failures++;
      LOG.warn("the addresses in {} cannot be used: {}", file, e.getMessage());
      return Optional.empty();
    }
  }

  private static String text(List<String> lines) {
    StringBuilder text = new StringBuilder();
    lines.forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  void write(List<String> addresses, long at) {
    Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    try {
      String text = text(new ArrayList<>(addresses));
      String head = BEGINNING + source + " " + at + " " + checksum(text) + "\n";
      Path folder = file.toAbsolutePath().getParent();
      PrivateFiles.createFolders(folder);
      PrivateFiles.write(unfinished, (head + text).getBytes(StandardCharsets.UTF_8));
      Files.move(
          unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      failures++;
      LOG.warn("addresses cannot be kept in {}: {}", file, e.toString());
    }
  }
}
