package io.fleetgauge.query.rules.template;

import io.fleetgauge.query.rules.template.Answers.UnknownAnswer;
import java.util.LinkedHashMap;
import java.util.Map;

/** Expands the templates of rules. */
public final class Template {
  /** Most parsed templates that are kept. */
  private static final int MAX_KEPT = 4_096;

  /** Longer templates are not kept. */
  private static final int MAX_KEPT_LENGTH = 16_384;

  private static final Map<String, TemplateParser.Tree> KEPT =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, TemplateParser.Tree> eldest) {
          return size() > MAX_KEPT;
        }
      };

  private Template() {}

  /** Returns false if expanding a text asks no query. */
  public static boolean mayAsk(String text) {
    return text.contains("{{") && text.contains("query");
  }

  /**
   * Parses a template without expanding it.
   *
   * @throws TemplateFailure if it is no template, or has parts that are not supported
   */
  public static void check(String text) throws TemplateFailure {
    TemplateParser.parse(text);
  }

  /**
   * Expands a template.
   *
   * @throws TemplateFailure if it is no template, or fails
   * @throws Unanswered if {@code answers} does not know an answer yet
   */
  public static String expand(String text, TemplateData data, Answers answers)
      throws TemplateFailure, UnknownAnswer {
    return text.contains("{{") ? TemplateRun.run(parsed(text), data, answers) : text;
  }

  private static TemplateParser.Tree parsed(String text) throws TemplateFailure {
    synchronized (KEPT) {
      TemplateParser.Tree kept = KEPT.get(text);
      if (kept != null) {
        return kept;
      }
    }
    TemplateParser.Tree parsed = TemplateParser.parse(text);
    if (text.length() <= MAX_KEPT_LENGTH) {
      synchronized (KEPT) {
        KEPT.put(text, parsed);
      }
    }
    return parsed;
  }
}
