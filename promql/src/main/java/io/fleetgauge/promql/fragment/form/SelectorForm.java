package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** Matchers, and what questions build of them. */
public final class SelectorForm {
  private SelectorForm() {}

  public static void matchers(WireWriter out, List<Matcher> matchers) {
    out.uvar(matchers.size());
    for (Matcher matcher : matchers) {
      out.u8(matcher.kind().ordinal()).string(matcher.name()).string(matcher.value());
    }
  }

  public static List<Matcher> matchers(WireReader in) throws WireException {
    int count = in.count(3, "matchers");
    List<Matcher> matchers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int kind = in.uint(Matcher.Kind.values().length - 1, "a matcher's kind");
      String name = in.string("a matcher's label");
      String value = in.string("a matcher's value");
      try {
        matchers.add(Matcher.of(Matcher.Kind.values()[kind], name, value));
      } catch (IllegalArgumentException e) {
        throw new WireException("a matcher of " + name + ": " + e.getMessage());
      }
    }
    return matchers;
  }

  public static void selectors(WireWriter out, List<List<Matcher>> selectors) {
    out.uvar(selectors.size());
    for (List<Matcher> matchers : selectors) {
      matchers(out, matchers);
    }
  }

  public static List<List<Matcher>> selectors(WireReader in) throws WireException {
    int count = in.count(1, "selectors");
    List<List<Matcher>> selectors = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      selectors.add(matchers(in));
    }
    return selectors;
  }

  public static void selections(WireWriter out, List<Selection> selections) {
    out.uvar(selections.size());
    for (Selection selection : selections) {
      matchers(out, selection.matchers());
      out.svar(selection.from()).svar(selection.to());
    }
  }

  public static List<Selection> selections(WireReader in) throws WireException {
    int count = in.count(3, "selections");
    List<Selection> selections = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      selections.add(
          new Selection(
              matchers(in), in.svar("a selection's start"), in.svar("a selection's end")));
    }
    return selections;
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
