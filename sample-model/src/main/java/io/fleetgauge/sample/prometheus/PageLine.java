package io.fleetgauge.sample.prometheus;

import io.fleetgauge.sample.Labels;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalDouble;

/**
 * One line of a page, read by the grammar of Prometheus's scraper. It is used again for the next
 * line. Not for several threads.
 */
public final class PageLine {
  /** Most labels of a sample. */
  static final int MAX_LABELS = 256;

  private static final int MOST_EXACT_DIGITS = 15;
  private static final double[] TENS = {
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
  };

  /** The kinds of lines. */
  enum Kind {
    /** Nothing that counts. */
    NOTHING,
    SAMPLE,
    TYPE,
    HELP,
    UNIT,
    /** The mark at the end of OpenMetrics. */
    END,
    /** Its end is within quotes, so that the next line belongs to it too. */
    UNFINISHED
  }

  private final boolean strict;
  private byte[] bytes = {};
  private int at;
  private int end;
  private boolean unfinished;

  private int seriesFrom;
  private int seriesTo;
  private int nameFrom;
  private int nameTo;

  /** Where names and values of labels begin and end, four numbers a label. */
  private int[] labels = new int[64];

  private int labelCount;
  private double value;
  private boolean hasTime;
  private long time;
  private int textFrom;

  PageLine(PageFormat format) {
    this.strict = format == PageFormat.OPENMETRICS;
  }

  /**
   * Reads a line.
   *
   * @param bytes are not to change while the line is used
   * @param to behind its last byte, without the line feed
   */
  Kind read(byte[] bytes, int from, int to) throws BadPage {
    this.bytes = bytes;
    at = from;
    end = to;
    unfinished = false;
    seriesFrom = from;
    labelCount = 0;
    try {
      return strict ? strictLine() : line();
    } catch (BadPage e) {
      if (unfinished) {
        return Kind.UNFINISHED;
      }
      throw e;
    }
  }

  /** The bytes that name the series, as they are in the page. */
  public byte[] bytes() {
    return bytes;
  }

  public int seriesFrom() {
    return seriesFrom;
  }

  public int seriesTo() {
    return seriesTo;
  }

  public double value() {
    return value;
  }

  public boolean hasTime() {
    return hasTime;
  }

  /** As the line says it, ms since the epoch. */
  public long time() {
    return time;
  }

  /**
   * Names and values of the labels in turn, the name of the metric first; values may be empty.
   *
   * @param type of the family that was named last
   * @throws BadPage if a name or a value is not UTF-8
   */
  public String[] pairs(String type) throws BadPage {
    String[] pairs = new String[2 * labelCount + 2];
    pairs[0] = Labels.NAME;
    pairs[1] = unescaped(text(nameFrom, nameTo, "the name of a metric"));
    for (int i = 0; i < labelCount; i++) {
      String name =
          unescaped(text(labels[4 * i], labels[4 * i + 1], "the name of a label of " + pairs[1]));
      String text = text(labels[4 * i + 2], labels[4 * i + 3], "the label " + name);
      pairs[2 * i + 2] = name;
      pairs[2 * i + 3] = normal(type, name, unescaped(text));
    }
    return pairs;
  }

  /** The name of the family of a line with its type, help or unit. */
  String family() throws BadPage {
    return text(nameFrom, nameTo, "the name of a family");
  }

  /** The text of such a line. */
  String text() throws BadPage {
    return text(textFrom, end, "the text about " + family());
  }

  /** The bounds of histograms and the quantiles of summaries have one form in all formats. */
  private static String normal(String type, String name, String value) {
    if (name.equals("le") && type.equals("histogram")
        || name.equals("quantile") && type.equals("summary")) {
      OptionalDouble number = Numbers.parse(value);
      if (number.isPresent()) {
        String text = Numbers.general(number.getAsDouble());
        boolean whole = text.chars().allMatch(c -> c >= '0' && c <= '9' || c == '-');
        return whole ? text + ".0" : text;
      }
    }
    return value;
  }

  private Kind line() throws BadPage {
    skipBlanks();
    if (at == end) {
      return Kind.NOTHING;
    }
    if (bytes[at] == '#') {
      at++;
      return comment();
    }
    labelledName();
    skipBlanks();
    value = number(word('{'));
    skipBlanks();
    hasTime = at < end;
    if (hasTime) {
      int from = at;
      while (at < end && isDigit(bytes[at])) {
        at++;
      }
      try {
        time = Long.parseLong(raw(from, at));
      } catch (NumberFormatException e) {
        throw new BadPage("expected is a timestamp in ms, found is \"" + raw(from, end) + "\"");
      }
      skipBlanks();
      require(at == end, "expected is the end of the line");
    }
    return Kind.SAMPLE;
  }

  private Kind comment() throws BadPage {
    int from = at;
    skipBlanks();
    if (at == from) {
      // Prometheus takes this for the end of the page and says nothing.
      require(indexOf((byte) 0) < 0, "a comment has a zero byte");
      return Kind.NOTHING;
    }
    Kind kind = begins("HELP") ? Kind.HELP : begins("TYPE") ? Kind.TYPE : Kind.NOTHING;
    if (kind == Kind.NOTHING || at + 4 == end || !isBlank(bytes[at + 4])) {
      return Kind.NOTHING;
    }
    at += 4;
    skipBlanks();
    familyName();
    boolean empty = true;
    for (int i = at; i < end; i++) {
      empty &= isBlank(bytes[i]);
    }
    textFrom = empty ? end : at + 1;
    return kind;
  }

  private Kind strictLine() throws BadPage {
    if (at < end && bytes[at] == '#') {
      require(begins("# "), "expected is # and a blank");
      at += 2;
      if (begins("EOF") && at + 3 == end) {
        return Kind.END;
      }
      Kind kind =
          begins("HELP ")
              ? Kind.HELP
              : begins("TYPE ") ? Kind.TYPE : begins("UNIT ") ? Kind.UNIT : Kind.NOTHING;
      require(kind != Kind.NOTHING, "expected is HELP, TYPE, UNIT or EOF behind #");
      at += 5;
      familyName();
      require(is(' '), "expected is a blank behind the name of a family");
      textFrom = at + 1;
      return kind;
    }
    labelledName();
    require(is(' '), "expected is a blank before the value");
    at++;
    value = number(word(' '));
    hasTime = is(' ') && !begins(" # {");
    if (hasTime) {
      at++;
      time = (long) (seconds() * 1000);
    }
    if (begins(" # {")) {
      exemplar();
    }
    require(at == end, "expected is the end of the line");
    return Kind.SAMPLE;
  }

  /** Exemplars are checked and left out. */
  private void exemplar() throws BadPage {
    at += 4;
    int kept = labelCount;
    labels(true);
    labelCount = kept;
    require(is(' '), "expected is a blank before the value of an exemplar");
    at++;
    number(word(' '));
    if (is(' ')) {
      at++;
      seconds();
    }
  }

  private double seconds() throws BadPage {
    double seconds = number(word(' '));
    require(Math.abs(seconds) <= Double.MAX_VALUE, "a timestamp is not finite");
    return seconds;
  }

  private void familyName() throws BadPage {
    boolean isQuoted = is('"');
    nameFrom = isQuoted ? at + 1 : at;
    if (isQuoted) {
      quoted(true);
    } else {
      name(true);
    }
    nameTo = isQuoted ? at - 1 : at;
  }

  /** The name of a metric and the labels behind it, or among them. */
  private void labelledName() throws BadPage {
    nameFrom = -1;
    if (!is('{')) {
      name(true);
      nameFrom = seriesFrom; // with blanks before it, as Prometheus has it
      nameTo = at;
    }
    seriesTo = at;
    int here = at;
    if (!strict) {
      skipBlanks();
    }
    if (is('{')) {
      at++;
      labels(false);
      seriesTo = at;
    } else {
      at = here;
    }
    require(nameFrom >= 0, "there is no metric name");
  }

  private void labels(boolean ofExemplar) throws BadPage {
    skip();
    while (!is('}')) {
      boolean isQuoted = is('"');
      int from = at;
      if (isQuoted) {
        quoted(!ofExemplar);
      } else {
        name(false);
      }
      int to = at;
      skip();
      if (isQuoted && !ofExemplar && (is(',') || is('}'))) {
        require(nameFrom < 0, "there are two metric names");
        nameFrom = from + 1;
        nameTo = to - 1;
        if (is(',')) {
          at++;
          skip();
        }
        continue;
      }
      require(is('='), "expected is = behind a label's name");
      at++;
      skip();
      require(is('"'), "expected is a quoted value of a label");
      int valueFrom = at + 1;
      quoted(!strict);
      text(valueFrom, at - 1, "the value of a label");
      add(from + (isQuoted ? 1 : 0), to - (isQuoted ? 1 : 0), valueFrom, at - 1);
      skip();
      if (is(',')) {
        at++;
        skip();
      } else {
        require(!strict || is('}'), "expected is , or } behind a label");
      }
    }
    at++;
  }

  private void add(int nameBegin, int nameEnd, int valueBegin, int valueEnd) throws BadPage {
    require(labelCount < MAX_LABELS, "a sample has more than " + MAX_LABELS + " labels");
    if (4 * labelCount == labels.length) {
      labels = Arrays.copyOf(labels, 2 * labels.length);
    }
    int next = 4 * labelCount;
    labels[next] = nameBegin;
    labels[next + 1] = nameEnd;
    labels[next + 2] = valueBegin;
    labels[next + 3] = valueEnd;
    labelCount++;
  }

  /**
   * Goes behind a quoted text.
   *
   * @param lines whether it may have several lines
   */
  private void quoted(boolean lines) throws BadPage {
    at++;
    while (!is('"')) {
      if (at == end) {
        unfinished = lines;
        throw new BadPage("a quoted text does not end");
      }
      boolean escape = bytes[at] == '\\';
      require(lines || bytes[at] != '\n', "a quoted text has a line feed");
      at++;
      if (escape) {
        require(at == end || bytes[at] != '\n', "a line feed is escaped");
        at = Math.min(end, at + 1);
      }
    }
    at++;
  }

  private void name(boolean ofMetric) throws BadPage {
    int from = at;
    while (at < end && isOfName(bytes[at], at == from, ofMetric)) {
      at++;
    }
    require(at > from, "expected is a name");
  }

  private static boolean isOfName(byte c, boolean first, boolean ofMetric) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c == '_'
        || ofMetric && c == ':'
        || !first && isDigit(c);
  }

  /** Up to a blank or another byte; where it begins. */
  private int word(int stop) {
    int from = at;
    while (at < end && bytes[at] != ' ' && bytes[at] != stop && (strict || bytes[at] != '\t')) {
      at++;
    }
    return from;
  }

  /** The number from a place up to here, by the rules of Go before 1.13. */
  private double number(int from) throws BadPage {
    double simple = simple(from);
    if (simple == simple) {
      return simple;
    }
    String text = raw(from, at);
    boolean isOfOldForm = text.chars().noneMatch(c -> c == '_' || c == 'p' || c == 'P');
    OptionalDouble number =
        isOfOldForm && text.length() <= 1_000 ? Numbers.parse(text) : OptionalDouble.empty();
    require(number.isPresent(), "expected is a number, found is \"" + text + "\"");
    return number.getAsDouble();
  }

  /** Digits with a point, few enough to be exact; NaN for everything else. */
  private double simple(int from) {
    int i = from < at && bytes[from] == '-' ? from + 1 : from;
    int digits = 0;
    int decimals = -1;
    long all = 0;
    for (; i < at; i++) {
      if (isDigit(bytes[i])) {
        all = 10 * all + bytes[i] - '0';
        decimals += decimals < 0 ? 0 : 1;
        if (++digits > MOST_EXACT_DIGITS) {
          return Double.NaN;
        }
      } else if (bytes[i] == '.' && decimals < 0) {
        decimals = 0;
      } else {
        return Double.NaN;
      }
    }
    if (digits == 0) {
      return Double.NaN;
    }
    double magnitude = decimals > 0 ? all / TENS[decimals] : all;
    return bytes[from] == '-' ? -magnitude : magnitude;
  }

  private boolean begins(String text) {
    if (end - at < text.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (bytes[at + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private int indexOf(byte wanted) {
    for (int i = at; i < end; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  private boolean is(int c) {
    return at < end && bytes[at] == c;
  }

  private static boolean isDigit(byte c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isBlank(byte c) {
    return c == ' ' || c == '\t';
  }

  private void skipBlanks() {
    while (at < end && isBlank(bytes[at])) {
      at++;
    }
  }

  /** OpenMetrics allows no blanks between labels. */
  private void skip() {
    if (!strict) {
      skipBlanks();
    }
  }

  private void require(boolean isMet, String otherwise) throws BadPage {
    if (!isMet) {
      throw new BadPage("character " + (at - seriesFrom + 1) + ": " + otherwise);
    }
  }

  /** For messages and numbers: whatever is not ASCII is no number. */
  private String raw(int from, int to) {
    return new String(bytes, from, Math.min(to - from, 2_000), StandardCharsets.ISO_8859_1);
  }

  private String text(int from, int to, String what) throws BadPage {
    boolean ascii = true;
    for (int i = from; i < to; i++) {
      ascii &= bytes[i] >= 0;
    }
    if (ascii) {
      return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, from, to - from))
          .toString();
    } catch (CharacterCodingException e) {
      throw new BadPage(what + " is not UTF-8");
    }
  }

  private static String unescaped(String text) {
    return unescaped(text, true);
  }

  /**
   * @param quotes whether a quote is escaped too
   */
  static String unescaped(String text, boolean quotes) {
    if (text.indexOf('\\') < 0) {
      return text;
    }
    StringBuilder plain = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      char next = i + 1 < text.length() ? text.charAt(i + 1) : ' ';
      if (c == '\\' && (next == 'n' || next == '\\' || quotes && next == '"')) {
        plain.append(next == 'n' ? '\n' : next);
        i++;
      } else {
        plain.append(c);
      }
    }
    return plain.toString();
  }
}
