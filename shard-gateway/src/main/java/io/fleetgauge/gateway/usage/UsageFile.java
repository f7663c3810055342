package io.fleetgauge.gateway.usage;

import io.fleetgauge.promql.fragment.UsageQuestion;
import io.fleetgauge.promql.usage.KeptDay;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** The file of one day of one host, as the package draws it. */
public final class UsageFile implements KeptDay.Rows {
  static final String SUFFIX = ".usage";
  private static final byte[] MAGIC = {'F', 'G', 'U', 'S'};
  private static final int VERSION = 2;
  private static final int MAX_SECTION_BYTES = 256 << 20;

  private final String host;
  private final long day;
  private final UsageTerms terms;
  private final Source source;
  private final byte[] bytes;
  private final int sectionsAt;

  /** Bytes that are no file of usage. */
  public static final class DamagedUsage extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedUsage(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * The blocks that a day was made of.
   *
   * @param from the start of the first, ms
   * @param blocks checksum of their times and sizes
   */
  public record Source(long from, int blocks) {
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
      String host, long day, UsageTerms terms, Source source, byte[] bytes, int sectionsAt) {
    this.host = host;
    this.day = day;
    this.terms = terms;
    this.source = source;
    this.bytes = bytes;
    this.sectionsAt = sectionsAt;
  }

  /**
   * A file of rows.
   *
   * @param day the start of the day, ms
   * @param whole rows of the day as one interval
   * @param hours rows of its hours
   */
  public static UsageFile of(
      String host,
      long day,
      UsageTerms terms,
      Source source,
      List<UsageRow> whole,
      List<UsageRow> hours) {
    WireWriter out = new WireWriter(4096);
    out.raw(MAGIC, 0, MAGIC.length).u8(VERSION).string(host).svar(day);
    out.uvar(terms.lookback()).uvar(terms.bridge()).uvar(terms.busy()).uvar(terms.highPower());
    out.svar(source.from).u32(source.blocks);
    int sectionsAt = out.size();
    section(out, whole);
    section(out, hours);
    out.u32(check(out.array(), out.size()));
    return new UsageFile(host, day, terms, source, out.toBytes(), sectionsAt);
  }

  private static void section(WireWriter out, List<UsageRow> rows) {
    WireWriter symbols = new WireWriter(1024);
    WireWriter body = new WireWriter(4096);
    new UsageQuestion.Answer(rows).write(symbols, body);
    byte[] answer = symbols.toBytes(body);
    Deflater deflater = new Deflater();
    try {
      deflater.setInput(answer);
      deflater.finish();
      byte[] deflated = new byte[answer.length + 64];
      int length = 0;
      while (!deflater.finished()) {
        if (length == deflated.length) {
          deflated = Arrays.copyOf(deflated, 2 * length);
        }
        length += deflater.deflate(deflated, length, deflated.length - length);
      }
      out.u32(length).u32(answer.length).raw(deflated, 0, length);
    } finally {
      deflater.end();
    }
  }

  private static int check(byte[] bytes, int length) {
    CRC32C check = new CRC32C();
    check.update(bytes, 0, length);
    return (int) check.getValue();
  }

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
      in.version(VERSION, "a file of usage");
      if (bytes.length < Integer.BYTES
          || new WireReader(bytes, bytes.length - Integer.BYTES, bytes.length).u32("the checksum")
              != check(bytes, bytes.length - Integer.BYTES)) {
        throw new WireException("its checksum is wrong");
      }
      String host = in.string("the host");
      long day = in.svar("the day");
      UsageTerms terms =
          new UsageTerms(
              in.uvar("the lookback"),
              in.uvar("the bridge"),
              in.uint(UsageTerms.WHOLE, "the activity of a busy device"),
              in.uint(UsageTerms.WHOLE, "the power of an execution-idle device"));
      Source source = new Source(in.svar("the first block"), in.u32("the blocks"));
      return new UsageFile(host, day, terms, source, bytes, in.position());
    } catch (WireException e) {
      throw new DamagedUsage("it is no file of usage: " + e.getMessage(), e);
    }
  }

  /** The name of the file of a day. */
  public static String name(long day) {
    return LocalDate.ofInstant(Instant.ofEpochMilli(day), ZoneOffset.UTC) + SUFFIX;
  }

  /** The day of a file by its name, ms; empty if it is not the name of one. */
  public static OptionalLong day(String name) {
    if (!name.endsWith(SUFFIX)) {
      return OptionalLong.empty();
    }
    try {
      LocalDate date = LocalDate.parse(name.substring(0, name.length() - SUFFIX.length()));
      return OptionalLong.of(date.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli());
    } catch (DateTimeParseException e) {
      return OptionalLong.empty();
    }
  }

  public String host() {
    return host;
  }

  /** The start of the day, ms. */
  public long day() {
    return day;
  }

  public String name() {
    return name(day);
  }

  @Override
  public UsageTerms terms() {
    return terms;
  }

  public Source source() {
    return source;
  }

  public byte[] toBytes() {
    return bytes;
  }

  @Override
  public List<UsageRow> whole() {
    return rows(0, KeptDay.MILLIS);
  }

  @Override
  public List<UsageRow> hours() {
    return rows(1, KeptDay.HOUR);
  }

  private List<UsageRow> rows(int section, long step) {
    Inflater inflater = new Inflater();
    try {
      WireReader in = new WireReader(bytes);
      in.moveTo(sectionsAt);
      int length = in.u32("the length");
      int size = in.u32("the size");
      if (section > 0) {
        in.skip(length, "a section");
        length = in.u32("the length");
        size = in.u32("the size");
      }
      if (size < 0 || size > MAX_SECTION_BYTES || length < 0 || length > in.left()) {
        throw new WireException("a section has " + size + " bytes, deflated " + length);
      }
      inflater.setInput(bytes, in.position(), length);
      byte[] answer = new byte[size];
      int inflated = 0;
      while (inflated < size) {
        int more = inflater.inflate(answer, inflated, size - inflated);
        if (more == 0) {
          throw new WireException("a section is shorter than " + size + " bytes");
        }
        inflated += more;
      }
      UsagePeriod period = UsagePeriod.every(day, day + KeptDay.MILLIS, step);
      UsageQuestion question = new UsageQuestion(List.of(), List.of(), period, terms);
      return question.answer(new WireReader(answer), answer).rows();
    } catch (WireException | DataFormatException e) {
      throw new IllegalStateException(
          "the usage of host "
              + host
              + " on "
              + name()
              + " cannot be read, and its checksum is right",
          e);
    } finally {
      inflater.end();
    }
  }
}
