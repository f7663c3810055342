package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;

/** Matchers, and what questions build of them. */
public final class SelectorForm {
  private SelectorForm() {}

  public static void matchers(WireWriter out, List<Matcher> matchers) {
    out.list(
        matchers, each -> out.u8(each.kind().ordinal()).string(each.name()).string(each.value()));
  }

  public static List<Matcher> matchers(WireReader in) throws WireException {
    return in.list(3, "matchers", SelectorForm::matcher);
  }

  private static Matcher matcher(WireReader in) throws WireException {
    int kind = in.uint(Matcher.Kind.values().length - 1, "a matcher's kind");
    String name = in.string("a matcher's label");
    String value = in.string("a matcher's value");
    try {
      return Matcher.of(Matcher.Kind.values()[kind], name, value);
    } catch (IllegalArgumentException e) {
      throw new WireException("a matcher of " + name + ": " + e.getMessage());
    }
  }

  public static void selectors(WireWriter out, List<List<Matcher>> selectors) {
    out.list(selectors, matchers -> matchers(out, matchers));
  }

  public static List<List<Matcher>> selectors(WireReader in) throws WireException {
    return in.list(1, "selectors", SelectorForm::matchers);
  }

  public static void selections(WireWriter out, List<Selection> selections) {
    out.list(
        selections,
        selection -> {
          matchers(out, selection.matchers());
          out.svar(selection.from()).svar(selection.to());
        });
  }

  public static List<Selection> selections(WireReader in) throws WireException {
    return in.list(
        3,
        "selections",
        each ->
            new Selection(
                matchers(each), each.svar("a selection's start"), each.svar("a selection's end")));
  }

  public static void search(WireWriter out, SeriesSearch search) {
    out.svar(search.from()).svar(search.to()).uvar(search.limit());
    selectors(out, search.matchers());
  }

  public static SeriesSearch search(WireReader in) throws WireException {
    long from = in.svar("the search's start");
    long to = in.svar("the search's end");
    int limit = in.uint(Integer.MAX_VALUE, "the search's limit");
    return new SeriesSearch(from, to, limit, selectors(in));
  }
}
