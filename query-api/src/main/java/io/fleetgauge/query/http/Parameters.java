package io.fleetgauge.query.http;

import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.answer.SeriesFilter;
import io.vertx.core.MultiMap;
import io.vertx.ext.web.RoutingContext;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** The parameters of a request; those of the form come before those of the URL. */
public final class Parameters {
  /** Times are clipped to 285,000 years around the epoch, in ms. */
  private static final double MAX_MILLIS = 9e15;

  /** Beyond this, a number is not a time of any client. */
  private static final double MAX_CLIPPED_MILLIS = 9.3e18;

  /**
   * The first time as client_golang writes it; Prometheus accepts this text, and that of the last
   * time.
   */
  private static final String MIN_TIME = "-292273086-05-16T16:47:06Z";

  private static final String MAX_TIME = "292277025-08-18T07:12:54.999999999Z";

  private static final int MAX_SELECTORS = 1_000;

  /** Vert.x reads as many and ignores the others. */
  private static final int MAX_OF_URL = 1_024;

  /** The longest text of a time or a duration; the largest double has 309 digits. */
  private static final int MAX_TIME_LENGTH = 400;

  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(\\d++(\\.\\d*+)?|\\.\\d++)([eE][+-]?\\d++)?");

  private final MultiMap form;
  private final MultiMap url;

  /**
   * @throws QueryFailure if the URL has more parameters than Vert.x would read
   */
  Parameters(RoutingContext http) throws QueryFailure {
    this(http.request().formAttributes(), ofUrl(http));
  }

  private static MultiMap ofUrl(RoutingContext http) throws QueryFailure {
    String query = http.request().query();
    if (query != null
        && query.chars().filter(each -> each == '&' || each == ';').count() >= MAX_OF_URL) {
      throw new QueryFailure(
          QueryFailure.Kind.BAD_DATA,
          "the URL has more than the "
              + MAX_OF_URL
              + " parameters that are allowed; send them in a form by POST");
    }
    return http.queryParams();
  }

  Parameters(MultiMap form, MultiMap url) {
    this.form = form;
    this.url = url;
  }

  /** The first value, or the empty text. */
  public String text(String name) {
    String value = form.get(name);
    if (value == null) {
      value = url.get(name);
    }
    return value == null ? "" : value;
  }

  public List<String> texts(String name) {
    List<String> values = new ArrayList<>(form.getAll(name));
    values.addAll(url.getAll(name));
    return values;
  }

  /** Seconds or RFC 3339, rounded to the ms. */
  public long time(String name, long fallback) throws QueryFailure {
    String text = text(name);
    switch (text) {
      case "" -> {
        return fallback;
      }
      case MIN_TIME -> {
        return -(long) MAX_MILLIS;
      }
      case MAX_TIME -> {
        return (long) MAX_MILLIS;
      }
      default -> {
        return time(name, text);
      }
    }
  }

  private static long time(String name, String text) throws QueryFailure {
    checkLength(name, text);
    double millis = seconds(text) * 1000;
    // Clients write the first and the last time in other ways too; such times are clipped.
    if (Math.abs(millis) <= MAX_CLIPPED_MILLIS) {
      return Math.clamp(Math.round(millis), -(long) MAX_MILLIS, (long) MAX_MILLIS);
    }
    return rfc3339(text)
        .orElseThrow(() -> invalid(name, "cannot parse \"" + text + "\" to a valid timestamp"));
  }

  /** Milliseconds since the epoch of a time such as {@code 2026-11-22T10:00:00Z}, if it is one. */
  public static OptionalLong rfc3339(String text) {
    try {
      // Java also reads years of more than four digits, whose milliseconds may overflow.
      return text.matches("\\d{4}-.*")
          ? OptionalLong.of(OffsetDateTime.parse(text).toInstant().toEpochMilli())
          : OptionalLong.empty();
    } catch (DateTimeParseException e) {
      return OptionalLong.empty();
    }
  }

  public long requiredTime(String name) throws QueryFailure {
    if (text(name).isEmpty()) {
      throw invalid(name, "cannot parse \"\" to a valid timestamp");
    }
    return time(name, 0);
  }

  /** Seconds or a duration, truncated to the ms. */
  public long duration(String name, long fallback) throws QueryFailure {
    String text = text(name);
    if (text.isEmpty()) {
      return fallback;
    }
    checkLength(name, text);
    long millis = Durations.parse(text);
    if (millis != Durations.NONE) {
      return millis;
    }
    double seconds = seconds(text);
    if (Math.abs(seconds * 1000) <= MAX_MILLIS) {
      return (long) (seconds * 1000);
    }
    throw invalid(name, "cannot parse \"" + text + "\" to a valid duration");
  }

  private static void checkLength(String name, String text) throws QueryFailure {
    if (text.length() > MAX_TIME_LENGTH) {
      throw invalid(
          name, "it has " + text.length() + " characters; " + MAX_TIME_LENGTH + " are allowed");
    }
  }

  /** A decimal number, or NaN. Java would also read forms such as {@code 1d} and {@code 0x1p3}. */
  private static double seconds(String text) {
    return DECIMAL.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
  }

  public int limit() throws QueryFailure {
    return limit("limit");
  }

  /** A maximum number of items; 0 for no limit. */
  public int limit(String name) throws QueryFailure {
    String text = text(name);
    if (text.isEmpty()) {
      return 0;
    }
    try {
      int limit = Integer.parseInt(text);
      if (limit >= 0) {
        return limit;
      }
    } catch (NumberFormatException e) {
      throw invalid(name, "cannot parse \"" + text + "\" to a valid limit");
    }
    throw invalid(name, name + " must be non-negative");
  }

  /** The series that {@code match[]}, {@code start} and {@code end} select, and {@code limit}. */
  public SeriesFilter seriesFilter() throws QueryFailure {
    List<List<Matcher>> matchers = new ArrayList<>();
    for (String selector : selectors()) {
      matchers.add(selector("match[]", selector));
    }
    return new SeriesFilter(
        time("start", SeriesFilter.EARLIEST), time("end", SeriesFilter.LATEST), limit(), matchers);
  }

  /** Parses a selector. */
  public static List<Matcher> selector(String name, String text) throws QueryFailure {
    try {
      return Parser.parseSelector(text);
    } catch (ParseException e) {
      throw invalid(name, e.getMessage());
    }
  }

  /** The values of {@code match[]}. */
  public List<String> selectors() throws QueryFailure {
    List<String> selectors = texts("match[]");
    if (selectors.size() > MAX_SELECTORS) {
      throw invalid("match[]", "there are more than the " + MAX_SELECTORS + " that are allowed");
    }
    return selectors;
  }

  public static QueryFailure invalid(String name, String why) {
    return new QueryFailure(
        QueryFailure.Kind.BAD_DATA, "invalid parameter \"" + name + "\": " + why);
  }
}
