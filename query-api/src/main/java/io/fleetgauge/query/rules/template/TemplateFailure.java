package io.fleetgauge.query.rules.template;

/** Why a template cannot be expanded, in the words of Go's text/template. */
public final class TemplateFailure extends Exception {
  private static final long serialVersionUID = 1L;

  public TemplateFailure(String message) {
    super(message, null, false, false);
  }
}
