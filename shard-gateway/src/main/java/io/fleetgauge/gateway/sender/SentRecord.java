package io.fleetgauge.gateway.sender;

import io.fleetgauge.gateway.sender.TimeRanges.Range;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The progress of sending one host to one receiver, as it is written and told to other gateways:
 * everything up to {@code until} has been sent, except what lies in a gap.
 *
 * <p>As text it is a line: receiver, host, generation and epoch, until, and gaps, each as {@code
 * after-to}. The host is percent-encoded, times are ms since the epoch.
 *
 * @param term of the owner that has sent it
 */
record SentRecord(String receiver, String host, Term term, long until, List<Range> gaps) {
  /** In the place of a host. */
  static final String BEGIN = "";

  private static final String BEGIN_TEXT = "*";

  /** Latest time that a record may have, ms: the year 2200. */
  private static final long LATEST = 7_258_118_400_000L;

  /**
   * The time in which a gateway owns a host without a break.
   *
   * @param generation of the table
   * @param epoch at which it began; of another generation it says nothing
   */
  record Term(long generation, long epoch) {
    static final Term NONE = new Term(0, 0);

    boolean isBefore(Term other) {
      return generation == other.generation && epoch < other.epoch;
    }
  }

  SentRecord {
    gaps = List.copyOf(gaps);
  }

  /** A record of no host says when sending to a receiver began. */
  boolean isBegin() {
    return host.equals(BEGIN);
  }

  private String encoded() {
    return isBegin()
        ? BEGIN_TEXT
        : URLEncoder.encode(host, StandardCharsets.UTF_8).replace(BEGIN_TEXT, "%2A");
  }

  String line() {
    StringBuilder line = new StringBuilder();
    line.append(receiver)
        .append(' ')
        .append(encoded())
        .append(' ')
        .append(term.generation)
        .append(' ')
        .append(term.epoch)
        .append(' ')
        .append(until);
    for (Range gap : gaps) {
      line.append(' ').append(gap.after()).append('-').append(gap.to());
    }
    return line.append('\n').toString();
  }

  /**
   * @throws IllegalArgumentException if the line is none
   */
  static SentRecord parse(String line) {
    String[] words = line.split(" ");
    if (words.length < 5 || words.length > 5 + TimeRanges.MAX) {
      throw new IllegalArgumentException(words.length + " words");
    }
    List<Range> gaps = new ArrayList<>();
    for (int i = 5; i < words.length; i++) {
      String[] times = words[i].split("-", 2);
      if (times.length < 2) {
        throw new IllegalArgumentException("no range: " + words[i]);
      }
      gaps.add(new Range(time(times[0]), time(times[1])));
    }
    return new SentRecord(
        words[0],
        words[1].equals(BEGIN_TEXT) ? BEGIN : URLDecoder.decode(words[1], StandardCharsets.UTF_8),
        new Term(Long.parseLong(words[2]), Long.parseLong(words[3])),
        time(words[4]),
        gaps);
  }

  private static long time(String text) {
    long time = Long.parseLong(text);
    if (time < 0 || time > LATEST) {
      throw new IllegalArgumentException("no time: " + text);
    }
    return time;
  }
}
