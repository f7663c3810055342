package io.fleetgauge.operator.status;

import io.fleetgauge.operator.status.Table.Column;
import io.fleetgauge.runtime.terminal.Figures;
import io.vertx.core.json.JsonObject;
import java.util.Locale;

/** The columns of what a gateway says of its disk: the object {@code disk} of its row. */
final class DiskColumns {
  static final Column BLOCKS = Column.bytes("BLOCKS", "disk.blockBytes");
  static final Column LIMIT = Column.bytes("LIMIT", "disk.maxBytes");
  static final Column JOURNAL = Column.bytes("JOURNAL", "disk.journalBytes");
  static final Column FREE = Column.bytes("FREE", "disk.freeBytes");
  static final Column TOTAL = Column.bytes("OF", "disk.totalBytes");
  static final Column PER_DAY = Column.bytes("PER DAY", "disk.bytesPerDay");
  static final Column RETENTION = Column.duration("RETENTION", "disk.retentionMillis");
  static final Column AT_RETENTION = Column.bytes("AT RETENTION", "disk.bytesAtRetention");
  static final Column DAYS_LEFT = Column.right("DAYS LEFT", DiskColumns::daysLeft);

  private DiskColumns() {}

  /** Days until the disk is full; it is never full when old samples leave before. */
  private static String daysLeft(JsonObject gateway) {
    Number days = Column.number(gateway, "disk.daysLeft");
    if (days != null) {
      return String.format(Locale.ROOT, "%.1f", days.doubleValue());
    }
    return Column.number(gateway, "disk.bytesPerDay") == null ? Figures.UNKNOWN : "enough";
  }
}
