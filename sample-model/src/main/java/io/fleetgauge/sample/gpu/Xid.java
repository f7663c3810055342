package io.fleetgauge.sample.gpu;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A code of the catalog of XIDs, {@code xids.tsv}. Codes that drivers do not use any more are not
 * in it.
 *
 * @param meaning a sentence
 */
public record Xid(int code, XidClass type, Severity severity, XidAction action, String meaning) {
  private static final int COLUMNS = 5;
  private static final Map<Integer, Xid> TABLE = table();
  private static final Map<XidClass, List<Integer>> CODES = byClass();

  /** What the catalog says of a code; a warning for one that it does not have. */
  public static Xid of(int code) {
    Xid known = TABLE.get(code);
    return known != null
        ? known
        : new Xid(
            code,
            XidClass.OTHER,
            Severity.WARNING,
            XidAction.ASK_SUPPORT,
            "A code that is not in the catalog.");
  }

  /** The kind of fault that it is told as. */
  public FaultKind kind() {
    return switch (type) {
      case CRITICAL, OTHER -> FaultKind.XID;
      case EXCEPTION, APPLICATION -> FaultKind.XID_APPLICATION;
    };
  }

  static List<Integer> codes(XidClass type) {
    return CODES.get(type);
  }

  private static Map<XidClass, List<Integer>> byClass() {
    Map<XidClass, List<Integer>> codes = new EnumMap<>(XidClass.class);
    for (XidClass type : XidClass.values()) {
      codes.put(type, TABLE.values().stream().filter(e -> e.type == type).map(Xid::code).toList());
    }
    return codes;
  }

  private static Map<Integer, Xid> table() {
    Map<Integer, Xid> table = new TreeMap<>();
    try (InputStream in = Xid.class.getResourceAsStream("xids.tsv")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : text.lines().skip(1).toList()) { // the first has the names of columns
        String[] cells = line.split("\\t", -1);
        if (cells.length != COLUMNS) {
          throw new IllegalStateException("xids.tsv has the line " + line);
        }
        int code = Integer.parseInt(cells[0]);
        Xid xid =
            new Xid(
                code,
                XidClass.find(cells[1]).orElseThrow(),
                Severity.find(cells[2]).orElseThrow(),
                XidAction.find(cells[3]).orElseThrow(),
                cells[4]);
        if (table.put(code, xid) != null) {
          throw new IllegalStateException("xids.tsv has the code " + code + " twice");
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return table;
  }
}
