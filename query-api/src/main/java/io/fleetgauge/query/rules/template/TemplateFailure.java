package io.fleetgauge.query.rules.template;

/** Why a text is no template, or why its expansion failed. */
public final class TemplateFailure extends Exception {
  private static final long serialVersionUID = 1L;

  /** Longest message, UTF-16 units: it stands in labels and annotations. */
  private static final int MAX_MESSAGE = 1_000;

  public TemplateFailure(String message) {
    super(cut(message, MAX_MESSAGE), null, false, false);
  }

  /**
   * A failure at a place of a template.
   *
   * @param at where the wrong part begins in {@code template}
   */
  static TemplateFailure at(String template, int at, String message) {
    long line = 1 + template.substring(0, at).chars().filter(c -> c == '\n').count();
    return new TemplateFailure("line " + line + ": " + message);
  }

  /** A text with at most so many characters, with dots in place of what is missing. */
  static String cut(String text, int most) {
    return text == null || text.length() <= most ? text : text.substring(0, most) + "...";
  }
}
