package io.fleetgauge.gateway.usage;

import io.fleetgauge.promql.fragment.form.UsageForm;
import io.fleetgauge.promql.usage.KeptDay;
import io.fleetgauge.promql.usage.KeptRows;
import io.fleetgauge.promql.usage.UsageLabels;
import io.fleetgauge.promql.usage.UsagePlaces;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageSums;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** The file of one day or month of one host, as the package draws it. */
public final class UsageFile {
  static final String SUFFIX = ".usage";
  private static final byte[] MAGIC = {'F', 'G', 'U', 'S'};
  private static final int VERSION = 4;
  private static final int MAX_SECTION_BYTES = 256 << 20;
  private static final int MONTH = 1;
  private static final int OF_EXPORTER = 2;

  private final String host;
  private final long from;
  private final int flags;
  private final UsageTerms terms;
  private final Source source;
  private final byte[] bytes;
  private final int sectionsAt;

  /** Bytes that are no file of usage. */
  public static class DamagedUsage extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedUsage(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** A file that another release has written. */
  static final class OtherVersion extends DamagedUsage {
    private static final long serialVersionUID = 1L;

    private OtherVersion(int version) {
      super("it is of format version " + version + ", this program reads " + VERSION, null);
    }
  }

  /**
   * The blocks that a day was made of.
   *
   * @param from the start of the first, ms
   * @param blocks checksum of their times and sizes
   */
  public record Source(long from, int blocks) {
    /** That of a month, which is made of days. */
    private static final Source NONE = new Source(0, 0);

    /**
     * Returns true if all that these blocks had may be here, and something else with it.
     *
     * @param here the blocks of the same time that are here now
     */
    public boolean isStale(Source here) {
      return hasSamples(here) && here.blocks != blocks;
    }

    /** Returns true if none of the blocks has been dropped since. */
    public boolean hasSamples(Source here) {
      return here.from <= from;
    }
  }

  private UsageFile(
      String host,
      long from,
      int flags,
      UsageTerms terms,
      Source source,
      byte[] bytes,
      int sectionsAt) {
    this.host = host;
    this.from = from;
    this.flags = flags;
    this.terms = terms;
    this.source = source;
    this.bytes = bytes;
    this.sectionsAt = sectionsAt;
  }

  // --- writing ---

  /**
   * The file of a day.
   *
   * @param day the start of the day, ms
   * @param hours rows of its hours
   */
  public static UsageFile ofDay(
      String host, long day, UsageTerms terms, Source source, List<UsageRow> hours) {
    UsageSums whole = ofModels();
    for (UsageRow row : hours) {
      whole.add(row.in(0, row.interval() == KeptDay.HOURS - 1));
    }
    int flags = UsageLabels.haveGpusOfExporter(hours) ? OF_EXPORTER : 0;
    WireWriter out = header(host, day, flags, terms, source);
    int sectionsAt = out.size();
    whole(out, whole);
    hours(out, hours);
    return ended(host, day, flags, terms, source, out, sectionsAt);
  }

  /**
   * The file of a month.
   *
   * @param month the start of the month, ms
   * @param days at least one, all of the same terms
   */
  static UsageFile ofMonth(String host, long month, List<UsageFile> days) {
    long end = KeptUsage.monthAfter(month);
    UsageTerms terms = days.getFirst().terms;
    UsageSums whole = ofModels();
    int flags = MONTH;
    for (UsageFile day : days) {
      flags |= day.flags;
      day.whole().addTo(whole, UsagePlaces.one(0, day.from + KeptDay.MILLIS == end));
    }
    WireWriter out = header(host, month, flags, terms, Source.NONE);
    int sectionsAt = out.size();
    whole(out, whole);
    return ended(host, month, flags, terms, Source.NONE, out, sectionsAt);
  }

  private static UsageSums ofModels() {
    return new UsageSums(List.of(), UsageLabels.OF_MODEL);
  }

  private static WireWriter header(
      String host, long from, int flags, UsageTerms terms, Source source) {
    WireWriter out = new WireWriter(4096);
    out.raw(MAGIC, 0, MAGIC.length).u8(VERSION).string(host).svar(from).u8(flags);
    out.uvar(terms.lookback()).uvar(terms.bridge()).uvar(terms.busy()).uvar(terms.highPower());
    return out.svar(source.from).u32(source.blocks);
  }

  private static void whole(WireWriter out, UsageSums sums) {
    WireWriter rows = new WireWriter(4096);
    UsageForm.write(rows, sums.rows());
    out.u32(rows.size()).raw(rows.array(), 0, rows.size());
  }

  private static void hours(WireWriter out, List<UsageRow> hours) {
    WireWriter rows = new WireWriter(4096);
    UsageForm.write(rows, hours);
    Deflater deflater = new Deflater();
    try {
      deflater.setInput(rows.array(), 0, rows.size());
      deflater.finish();
      byte[] deflated = new byte[rows.size() + 64];
      int length = 0;
      while (!deflater.finished()) {
        if (length == deflated.length) {
          deflated = Arrays.copyOf(deflated, 2 * length);
        }
        length += deflater.deflate(deflated, length, deflated.length - length);
      }
      out.u32(length).u32(rows.size()).raw(deflated, 0, length);
    } finally {
      deflater.end();
    }
  }

  private static UsageFile ended(
      String host,
      long from,
      int flags,
      UsageTerms terms,
      Source source,
      WireWriter out,
      int sectionsAt) {
    out.u32(check(out.array(), out.size()));
    return new UsageFile(host, from, flags, terms, source, out.toBytes(), sectionsAt);
  }

  private static int check(byte[] bytes, int length) {
    CRC32C check = new CRC32C();
    check.update(bytes, 0, length);
    return (int) check.getValue();
  }

  // --- reading ---

  /**
   * A file from its bytes, of which all are checked.
   *
   * @throws DamagedUsage if it is damaged or of another version
   */
  public static UsageFile read(byte[] bytes) throws DamagedUsage {
    try {
      WireReader in = new WireReader(bytes);
      byte[] magic = in.raw(MAGIC.length, "the magic");
      if (!Arrays.equals(magic, MAGIC)) {
        throw new WireException("it begins with " + Arrays.toString(magic));
      }
      int version = in.u8("the version");
      if (version != VERSION) {
        throw new OtherVersion(version);
      }
      if (bytes.length < Integer.BYTES
          || new WireReader(bytes, bytes.length - Integer.BYTES, bytes.length).u32("the checksum")
              != check(bytes, bytes.length - Integer.BYTES)) {
        throw new WireException("its checksum is wrong");
      }
      String host = in.string("the host");
      long from = in.svar("the start");
      int flags = in.u8("what it is of");
      UsageTerms terms =
          new UsageTerms(
              in.uvar("the lookback"),
              in.uvar("the bridge"),
              in.uint(UsageTerms.WHOLE, "the activity of a busy device"),
              in.uint(UsageTerms.WHOLE, "the power of an execution-idle device"));
      Source source = new Source(in.svar("the first block"), in.u32("the blocks"));
      return new UsageFile(host, from, flags, terms, source, bytes, in.position());
    } catch (WireException e) {
      throw new DamagedUsage("it is no file of usage: " + e.getMessage(), e);
    }
  }

  /** The name of the file of a day. */
  public static String name(long day) {
    return date(day) + SUFFIX;
  }

  /** The name of the file of a month. */
  static String monthName(long month) {
    return YearMonth.from(date(month)) + SUFFIX;
  }

  private static LocalDate date(long time) {
    return LocalDate.ofInstant(Instant.ofEpochMilli(time), ZoneOffset.UTC);
  }

  /** The day of a file by its name, ms; empty if it is not the name of one. */
  public static OptionalLong day(String name) {
    return start(name, LocalDate::parse);
  }

  /** The start of the month of a file by its name, ms; empty if it is not the name of one. */
  static OptionalLong month(String name) {
    return start(name, text -> YearMonth.parse(text).atDay(1));
  }

  private static OptionalLong start(String name, Function<String, LocalDate> parse) {
    if (!name.endsWith(SUFFIX)) {
      return OptionalLong.empty();
    }
    try {
      LocalDate date = parse.apply(name.substring(0, name.length() - SUFFIX.length()));
      return OptionalLong.of(date.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli());
    } catch (DateTimeParseException e) {
      return OptionalLong.empty();
    }
  }

  public String host() {
    return host;
  }

  /** The start of the day or month, ms. */
  public long from() {
    return from;
  }

  public String name() {
    return (flags & MONTH) != 0 ? monthName(from) : name(from);
  }

  public UsageTerms terms() {
    return terms;
  }

  public Source source() {
    return source;
  }

  public byte[] toBytes() {
    return bytes;
  }

  /** The rows of the day or month as one interval. */
  public KeptRows whole() {
    return new Section(true);
  }

  /** The rows of a day's hours. */
  public KeptRows hours() {
    return new Section(false);
  }

  private final class Section implements KeptRows {
    private final boolean isWhole;

    Section(boolean isWhole) {
      this.isWhole = isWhole;
    }

    @Override
    public UsageTerms terms() {
      return terms;
    }

    @Override
    public boolean isOfExporter() {
      return (flags & OF_EXPORTER) != 0;
    }

    @Override
    public void addTo(UsageSums sums, UsagePlaces places) {
      try {
        WireReader in = new WireReader(bytes);
        in.moveTo(sectionsAt);
        int length = in.u32("the length");
        if (!isWhole) {
          in.skip(length, "the day as one interval");
          in = inflated(in);
        }
        UsageForm.read(in, sums, places);
      } catch (WireException | DataFormatException e) {
        throw new IllegalStateException(
            "the usage of host "
                + host
                + " in "
                + name()
                + " cannot be read, and its checksum is right",
            e);
      }
    }
  }

  private WireReader inflated(WireReader in) throws WireException, DataFormatException {
    int length = in.u32("the length");
    int size = in.u32("the size");
    if (size < 0 || size > MAX_SECTION_BYTES || length < 0 || length > in.left()) {
      throw new WireException("a section has " + size + " bytes, deflated " + length);
    }
    Inflater inflater = new Inflater();
    try {
      inflater.setInput(bytes, in.position(), length);
      byte[] rows = new byte[size];
      int inflated = 0;
      while (inflated < size) {
        int more = inflater.inflate(rows, inflated, size - inflated);
        if (more == 0) {
          throw new WireException("a section is shorter than " + size + " bytes");
        }
        inflated += more;
      }
      return new WireReader(rows);
    } finally {
      inflater.end();
    }
  }
}
