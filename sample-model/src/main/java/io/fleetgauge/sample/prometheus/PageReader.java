package io.fleetgauge.sample.prometheus;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.Set;

/**
 * Reads a page of an exporter while it arrives, and holds no more than one line of it. It takes
 * what Prometheus's scraper takes and refuses what that refuses; {@link TextExpositionReader} reads
 * files by the other grammar that Prometheus's family has, that of node_exporter's text files. Not
 * for several threads.
 */
public final class PageReader {
  /** Most bytes of a line. */
  public static final int MAX_LINE_BYTES = 128 << 10;

  /** Most line feeds in the quoted texts of a line. */
  static final int MAX_LINE_FEEDS = 1_000;

  private static final String END = "# EOF";

  private static final Set<String> TEXT_TYPES =
      Set.of("counter", "gauge", "histogram", "summary", "untyped");
  private static final Set<String> OPENMETRICS_TYPES =
      Set.of(
          "counter",
          "gauge",
          "histogram",
          "gaugehistogram",
          "summary",
          "info",
          "stateset",
          "unknown");

  /** Takes what is read. */
  public interface Sink {
    /**
     * A sample.
     *
     * @param line is used again afterwards
     * @param type of the family that was named last, for {@link PageLine#pairs}
     * @throws BadPage if the page cannot be used because of it
     */
    void sample(PageLine line, String type) throws BadPage;

    /** The type of a family. */
    void type(String family, String type);

    void help(String family, String help);

    void unit(String family, String unit);
  }

  private final PageFormat format;
  private final Sink sink;
  private final PageLine line;
  private byte[] begun = new byte[1024];
  private int size;
  private int number = 1;
  private int lineFeeds;
  private boolean ended;
  private String type = "";

  public PageReader(PageFormat format, Sink sink) {
    this.format = format;
    this.sink = sink;
    this.line = new PageLine(format);
  }

  /** Takes the next bytes of the page. */
  public void take(byte[] bytes, int from, int to) throws BadPage {
    int begin = from;
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\n') {
        if (size > 0) {
          keep(bytes, begin, i);
          lineIsWhole();
        } else if (read(bytes, begin, i) == PageLine.Kind.UNFINISHED) {
          keep(bytes, begin, i);
          goOn();
        }
        begin = i + 1;
        number++;
      }
    }
    keep(bytes, begin, to);
  }

  /** The page is over. */
  public void end() throws BadPage {
    boolean isCutOff = size > 0 && !new String(begun, 0, size, US_ASCII).equals(END);
    if (format == PageFormat.OPENMETRICS && isCutOff) {
      throw bad("the last line does not end and is not " + END);
    }
    if (size > 0 && read(begun, 0, size) == PageLine.Kind.UNFINISHED) {
      throw bad("a quoted text does not end");
    }
    if (format == PageFormat.OPENMETRICS && !ended) {
      throw bad("the page does not end with " + END);
    }
  }

  private void lineIsWhole() throws BadPage {
    if (read(begun, 0, size) == PageLine.Kind.UNFINISHED) {
      goOn();
    } else {
      size = 0;
      lineFeeds = 0;
    }
  }

  private void goOn() throws BadPage {
    if (++lineFeeds > MAX_LINE_FEEDS) {
      throw bad("a line has more than " + MAX_LINE_FEEDS + " line feeds in quotes");
    }
    keep(new byte[] {'\n'}, 0, 1);
  }

  private void keep(byte[] bytes, int from, int to) throws BadPage {
    int more = to - from;
    if (more > MAX_LINE_BYTES - size) {
      throw bad("a line has more than " + MAX_LINE_BYTES + " bytes");
    }
    if (more > begun.length - size) {
      begun = Arrays.copyOf(begun, Math.max(size + more, 2 * begun.length));
    }
    System.arraycopy(bytes, from, begun, size, more);
    size += more;
  }

  private BadPage bad(String why) {
    return new BadPage("line " + number + ": " + why);
  }

  private PageLine.Kind read(byte[] bytes, int from, int to) throws BadPage {
    if (ended) {
      throw bad("there is more behind # EOF");
    }
    if (to - from > MAX_LINE_BYTES) {
      throw bad("a line has more than " + MAX_LINE_BYTES + " bytes");
    }
    try {
      PageLine.Kind kind = line.read(bytes, from, to);
      switch (kind) {
        case SAMPLE -> sink.sample(line, type);
        case TYPE -> typeIs(line.family(), line.text());
        case HELP -> sink.help(line.family(), help(line.text()));
        case UNIT -> unitIs(line.family(), line.text());
        case END -> ended = true;
        case NOTHING, UNFINISHED -> {}
      }
      return kind;
    } catch (BadPage e) {
      throw bad(e.getMessage());
    }
  }

  private void typeIs(String family, String named) throws BadPage {
    Set<String> types = format == PageFormat.TEXT ? TEXT_TYPES : OPENMETRICS_TYPES;
    if (!types.contains(named)) {
      throw new BadPage("there is no type \"" + named + "\"");
    }
    type = named;
    sink.type(family, named);
  }

  private void unitIs(String family, String unit) throws BadPage {
    if (!unit.isEmpty() && !family.endsWith("_" + unit)) {
      throw new BadPage("the unit " + unit + " is not at the end of the name " + family);
    }
    sink.unit(family, unit);
  }

  private String help(String text) {
    return PageLine.unescaped(text, format == PageFormat.OPENMETRICS);
  }
}
