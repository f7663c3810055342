package io.fleetgauge.runtime.terminal;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The problems that a document lists, the worst first: objects with a severity, a subject, a {@code
 * text}, and the {@code advice} what to do, which is empty if nothing is to do.
 *
 * @param severity name of the field of the severity: {@code critical} and {@code failure} are the
 *     worst, then {@code warning}; others are no problems
 * @param subject name of the field of the subject
 */
public record Problems(JsonArray all, String severity, String subject) {
  private static final int INDENT = 4;

  /**
   * Exit code of a Nagios plug-in: 2 if something is critical or fails, 1 if there are warnings.
   */
  public int exitCode() {
    if (count("critical") + count("failure") > 0) {
      return 2;
    }
    return count("warning") > 0 ? 1 : 0;
  }

  /** The number of those with a severity. */
  public long count(String of) {
    return DocumentCommand.rows(all).filter(each -> each.getString(severity).equals(of)).count();
  }

  /** Each as a paragraph, and below it what to do about it. */
  public String text(Predicate<String> severities) {
    return DocumentCommand.rows(all)
        .filter(each -> severities.test(each.getString(severity)))
        .map(this::text)
        .collect(Collectors.joining());
  }

  private String text(JsonObject problem) {
    String kind = problem.getString(severity).toUpperCase(Locale.ROOT);
    String advice = problem.getString("advice");
    return Paragraph.wrapped(
            kind + " " + problem.getString(subject) + ": " + problem.getString("text"))
        + (advice.isEmpty() ? "" : Paragraph.wrapped(INDENT, "do: " + advice, 2 * INDENT));
  }
}
