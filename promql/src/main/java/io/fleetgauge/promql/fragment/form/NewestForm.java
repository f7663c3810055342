package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.prometheus.NameEscaping;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** Newest samples as lines of the text exposition. */
final class NewestForm {
  /** By their codes. */
  private static final List<NameEscaping> ESCAPINGS =
      List.of(
          NameEscaping.UNDERSCORES,
          NameEscaping.ALLOW_UTF_8,
          NameEscaping.DOTS,
          NameEscaping.VALUES);

  private NewestForm() {}

  private static int code(NameEscaping escaping) {
    return ESCAPINGS.indexOf(escaping);
  }

  static void write(WireWriter out, Fragment.Newest newest) {
    SelectorForm.selectors(out, newest.selectors());
    out.svar(newest.after()).svar(newest.to());
    out.u8(code(newest.escaping())).u8(newest.gzip() ? 1 : 0);
    out.uvar(newest.mostSeries()).uvar(newest.mostBytes());
  }

  static Fragment question(WireReader in, long epoch, List<String> hosts) throws WireException {
    return new Fragment.Newest(
        epoch,
        hosts,
        SelectorForm.selectors(in),
        in.svar("the oldest time"),
        in.svar("the newest time"),
        ESCAPINGS.get(in.uint(ESCAPINGS.size() - 1, "how names are written")),
        in.uint(1, "whether lines are packed") == 1,
        in.uint(Integer.MAX_VALUE, "the most series"),
        in.uint(Integer.MAX_VALUE, "the most bytes"));
  }

  /** About how many bytes an answer takes. */
  static int length(FragmentAnswer.Newest newest) {
    int length = 0;
    for (FragmentAnswer.Family family : newest.families()) {
      length += family.lines().length() + 64;
    }
    return length;
  }

  static void write(WireWriter out, FragmentAnswer.Newest newest) {
    out.u8(newest.gzip() ? 1 : 0).uvar(newest.families().size());
    for (FragmentAnswer.Family family : newest.families()) {
      GzipPiece lines = family.lines();
      out.string(family.name()).uvar(family.series()).uvar(lines.length());
      if (newest.gzip()) {
        out.uvar(lines.plainLength()).u32(lines.crc());
      }
      out.raw(lines.bytes(), lines.from(), lines.length());
    }
  }

  /**
   * @param bytes what {@code in} reads; the lines stay in this array
   */
  static FragmentAnswer answer(WireReader in, byte[] bytes, long epoch, List<String> covered)
      throws WireException {
    boolean gzip = in.uint(1, "whether lines are packed") == 1;
    int count = in.count(3, "families");
    List<FragmentAnswer.Family> families = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      String name = in.string("a family");
      int series = in.uint(Integer.MAX_VALUE, "a family's series");
      int length = in.uint(in.left(), "the length of lines");
      int plain = gzip ? in.uint(Integer.MAX_VALUE, "the length of packed lines") : length;
      int crc = gzip ? in.u32("the CRC of lines") : 0;
      GzipPiece lines = new GzipPiece(bytes, in.position(), length, plain, crc);
      families.add(new FragmentAnswer.Family(name, series, lines));
      in.skip(length, "lines");
    }
    return new FragmentAnswer.Newest(epoch, covered, gzip, families);
  }
}
