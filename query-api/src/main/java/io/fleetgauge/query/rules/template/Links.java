package io.fleetgauge.query.rules.template;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Links into a console that shows a query, relative to its address. */
public final class Links {
  private Links() {}

  /** A link to the result of a query as a table. */
  public static String table(String query) {
    return "/graph?g0.expr=" + queryEscape(query) + "&g0.tab=1";
  }

  /** A link to the result of a query over time. */
  public static String graph(String query) {
    return "/graph?g0.expr=" + queryEscape(query) + "&g0.tab=0";
  }

  /** As Go's url.QueryEscape does it. */
  static String queryEscape(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("*", "%2A").replace("%7E", "~");
  }
}
