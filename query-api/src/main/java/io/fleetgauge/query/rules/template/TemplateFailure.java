package io.fleetgauge.query.rules.template;

/** Why a template cannot be expanded, in the words of Go's text/template. */
public final class TemplateFailure extends Exception {
  private static final long serialVersionUID = 1L;

  /** Longest message, UTF-16 units: it stands in labels and annotations. */
  private static final int MAX_MESSAGE = 16_384;

  public TemplateFailure(String message) {
    super(cut(message), null, false, false);
  }

  private static String cut(String message) {
    return message == null || message.length() <= MAX_MESSAGE
        ? message
        : message.substring(0, MAX_MESSAGE) + "...";
  }
}
