package io.fleetgauge.operator.status;

import io.fleetgauge.operator.status.Table.Column;
import io.fleetgauge.runtime.terminal.Figures;
import io.vertx.core.json.JsonObject;
import java.util.Locale;

/** The columns of what a gateway says of its disk: the object {@code disk} of its row. */
final class DiskColumns {
  private static final String DISK = "disk";

  static final Column BLOCKS = Column.bytes("BLOCKS", "blockBytes").in(DISK);
  static final Column LIMIT = Column.bytes("LIMIT", "maxBytes").in(DISK);
  static final Column JOURNAL = Column.bytes("JOURNAL", "journalBytes").in(DISK);
  static final Column FREE = Column.bytes("FREE", "freeBytes").in(DISK);
  static final Column TOTAL = Column.bytes("OF", "totalBytes").in(DISK);
  static final Column PER_DAY = Column.bytes("PER DAY", "bytesPerDay").in(DISK);
  static final Column RETENTION = Column.duration("RETENTION", "retentionMillis").in(DISK);
  static final Column AT_RETENTION = Column.bytes("AT RETENTION", "bytesAtRetention").in(DISK);
  static final Column DAYS_LEFT = Column.right("DAYS LEFT", DiskColumns::daysLeft).in(DISK);

  private DiskColumns() {}

  /** Days until the disk is full; it is never full when old samples leave before. */
  private static String daysLeft(JsonObject disk) {
    Double days = disk.getDouble("daysLeft");
    if (days != null) {
      return String.format(Locale.ROOT, "%.1f", days);
    }
    return disk.containsKey("bytesPerDay") ? "enough" : Figures.UNKNOWN;
  }
}
