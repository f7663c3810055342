package io.fleetgauge.query.rules.template;

import io.fleetgauge.query.rules.template.Answers.Unanswered;
import java.util.LinkedHashMap;
import java.util.Map;

/** Expands the templates of rules. */
public final class Template {
  /** What Prometheus puts before each template; positions in errors count it. */
  private static final String PREFIX =
      "{{$labels := .Labels}}{{$externalLabels := .ExternalLabels}}"
          + "{{$externalURL := .ExternalURL}}{{$value := .Value}}";

  /** How many parsed templates are kept. */
  private static final int MAX_KEPT = 4_096;

  /** Longer templates are not kept. */
  private static final int MAX_KEPT_LENGTH = 16_384;

  private static final Map<Source, Map<String, Node.Block>> KEPT =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Source, Map<String, Node.Block>> eldest) {
          return size() > MAX_KEPT;
        }
      };

  private record Source(String name, String text) {}

  private Template() {}

  /** Whether expanding a text may ask a query. */
  public static boolean mayAsk(String text) {
    return text.contains("{{") && text.contains("query");
  }

  /**
   * Parses a template without expanding it.
   *
   * @throws TemplateFailure if it is no template
   */
  public static void check(String name, String text) throws TemplateFailure {
    TreeParser.parse(name, PREFIX + text, Functions.names());
  }

  /**
   * Expands a template.
   *
   * @param name what errors call it
   * @throws TemplateFailure if it is no template, or fails
   * @throws Unanswered if {@code answers} does not know an answer yet
   */
  public static String expand(String name, String text, TemplateData data, Answers answers)
      throws TemplateFailure, Unanswered {
    if (!text.contains("{{")) {
      return text;
    }
    Map<String, Node.Block> trees;
    try {
      trees = parsed(name, text);
    } catch (TemplateFailure e) {
      throw new TemplateFailure("error parsing template " + name + ": " + e.getMessage());
    }
    try {
      return Execution.run(name, PREFIX + text, trees, data, new Functions(data, answers));
    } catch (TemplateFailure e) {
      throw new TemplateFailure("error executing template " + name + ": " + e.getMessage());
    }
  }

  private static Map<String, Node.Block> parsed(String name, String text) throws TemplateFailure {
    Source source = new Source(name, text);
    synchronized (KEPT) {
      Map<String, Node.Block> kept = KEPT.get(source);
      if (kept != null) {
        return kept;
      }
    }
    Map<String, Node.Block> trees = TreeParser.parse(name, PREFIX + text, Functions.names());
    if (text.length() <= MAX_KEPT_LENGTH) {
      synchronized (KEPT) {
        KEPT.put(source, trees);
      }
    }
    return trees;
  }
}
