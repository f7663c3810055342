package io.fleetgauge.probe.attribution.allocation;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Allocations on the disk; the package has a drawing. Not for several threads.
 *
 * @param file in a folder that is there
 * @param boot names the time since the machine was started
 */
record AllocationFile(Path file, String boot) {
  private static final Logger LOG = LoggerFactory.getLogger(AllocationFile.class);
  private static final long MAX_BYTES = 64L << 20;
  private static final Pattern HEAD =
      Pattern.compile("fleetgauge-allocations 1 ([0-9a-f]{8}) ([0-9a-zA-Z-]*)");

  /** Reads what was kept; nothing if it cannot be read. Jobs do not outlive the machine's start. */
  List<ReportedAllocation> read() {
    if (!Files.exists(file)) {
      return List.of();
    }
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new BadAllocation("it has more than " + MAX_BYTES + " bytes");
      }
      String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
      int end = text.indexOf('\n');
      Matcher head = HEAD.matcher(end < 0 ? text : text.substring(0, end));
      if (end < 0 || !head.matches()) {
        throw new BadAllocation("its first line is not that of version 1");
      }
      String body = text.substring(end + 1);
      if (!crc(body).equals(head.group(1))) {
        throw new BadAllocation("its checksum is wrong");
      }
      List<ReportedAllocation> kept = new ArrayList<>();
      for (String line : body.lines().toList()) {
        kept.add(AllocationForm.readKept(line));
      }
      if (!head.group(2).equals(boot)) {
        kept.removeIf(allocation -> !allocation.job().isEmpty());
      }
      return kept;
    } catch (IOException | BadAllocation e) {
      LOG.warn(
          "the allocations in {} cannot be read, so no owner is known until schedulers report"
              + " again: {}",
          file,
          e.getMessage());
      return List.of();
    }
  }

  /** Replaces what was kept. */
  void write(Collection<ReportedAllocation> allocations) throws IOException {
    StringBuilder body = new StringBuilder();
    allocations.forEach(each -> body.append(AllocationForm.write(each)).append('\n'));
    String head = "fleetgauge-allocations 1 " + crc(body.toString()) + " " + boot + "\n";
    Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    PrivateFiles.writeAndForce(unfinished, (head + body).getBytes(StandardCharsets.UTF_8));
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String crc(String body) {
    CRC32 crc = new CRC32();
    crc.update(body.getBytes(StandardCharsets.UTF_8));
    return "%08x".formatted(crc.getValue());
  }
}
