package io.fleetgauge.cluster.member;

import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest table that a gateway knew, kept over restarts: when all are started again, hosts stay
 * where their samples lie and epochs go on. Losing it costs moves, never samples.
 *
 * @param file written under another name first, so it is whole or not there
 */
record TableFile(Path file) {
  private static final Logger LOG = LoggerFactory.getLogger(TableFile.class);

  Optional<OwnershipTable> read() {
    try {
      return Files.exists(file)
          ? Optional.of(OwnershipTable.fromBytes(Files.readAllBytes(file)))
          : Optional.empty();
    } catch (IOException | WireException e) {
      LOG.warn("the table in {} cannot be read, hosts are assigned anew: {}", file, e.toString());
      return Optional.empty();
    }
  }

  void write(OwnershipTable table) {
    Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.write(unfinished, table.toBytes());
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.warn("table {} cannot be kept in {}: {}", table.epoch(), file, e.toString());
    }
  }
}
