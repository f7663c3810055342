package io.fleetgauge.cluster.member;

import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.TableForm;
import io.fleetgauge.cluster.table.TableForm.Shared;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest table that a gateway knew, kept over restarts: when all are started again, hosts stay
 * where their samples are and epochs go on. Losing it costs moves, never samples.
 *
 * @param file in a folder that is there; bytes as {@link TableForm} writes them; written under
 *     another name first, so it is complete or absent
 */
record TableFile(Path file) {
  private static final Logger LOG = LoggerFactory.getLogger(TableFile.class);

  /** The table that was kept; {@link OwnershipTable#EMPTY} if there is none that can be read. */
  OwnershipTable read() {
    byte[] bytes;
    try {
      bytes = Files.exists(file) ? Files.readAllBytes(file) : null;
    } catch (IOException e) {
      LOG.warn("the table in {} cannot be read, hosts are reassigned: {}", file, e.toString());
      return OwnershipTable.EMPTY;
    }
    return switch (TableForm.shared(bytes)) {
      case Shared.Nothing nothing -> OwnershipTable.EMPTY;
      case Shared.Table kept -> kept.table();
      case Shared.Damaged damaged -> {
        LOG.warn("the table in {} is damaged, hosts are reassigned: {}", file, damaged.reason());
        yield OwnershipTable.EMPTY;
      }
      case Shared.Newer newer -> {
        setAside(newer.version());
        yield OwnershipTable.EMPTY;
      }
    };
  }

  /** Sets the file of a newer program aside, for the time when that program runs here again. */
  private void setAside(int version) {
    Path aside = file.resolveSibling(file.getFileName() + ".version-" + version);
    try {
      Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
      LOG.warn(
          "the table in {} has format version {}, this program reads up to {}: it is kept as {},"
              + " and hosts are reassigned",
          file,
          version,
          TableForm.VERSION,
          aside.getFileName());
    } catch (IOException e) {
      LOG.warn("the table in {} cannot be kept as {}: {}", file, aside, e.toString());
    }
  }

  void write(OwnershipTable table) {
    Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    try {
      PrivateFiles.write(unfinished, TableForm.toBytes(table));
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.warn("table {} cannot be kept in {}: {}", table.epoch(), file, e.toString());
    }
  }
}
