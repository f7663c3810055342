package io.fleetgauge.query.answer;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** The scopes of one or more tenants as matchers. Thread-safe. */
final class Scopes {
  private static final int MAX_KNOWN = 1_000;
  private static final Map<List<String>, List<Matcher>> KNOWN = new ConcurrentHashMap<>();

  private Scopes() {}

  /**
   * Matchers of everything that one of the scopes matches. Scopes that differ in the values of one
   * label can be combined.
   *
   * @param scopes selectors; an empty text matches everything
   * @throws QueryFailure if the scopes cannot be expressed by one list of matchers
   */
  public static List<Matcher> of(List<String> scopes) throws QueryFailure {
    if (scopes.isEmpty() || scopes.contains("")) {
      return List.of();
    }
    List<Matcher> known = KNOWN.get(scopes);
    if (known == null) {
      known = combined(scopes);
      if (KNOWN.size() >= MAX_KNOWN) {
        KNOWN.clear();
      }
      KNOWN.put(scopes, known);
    }
    return known;
  }

  private static List<Matcher> combined(List<String> scopes) throws QueryFailure {
    List<List<Matcher>> all = new ArrayList<>();
    try {
      for (String scope : scopes) {
        all.add(Parser.parseSelector(scope));
      }
    } catch (ParseException e) {
      throw new QueryFailure(QueryFailure.Kind.INTERNAL, "a scope is no selector");
    }
    List<Matcher> first = all.getFirst();
    if (all.size() == 1) {
      return first;
    }
    for (int i = 0; i < first.size(); i++) {
      Optional<List<Matcher>> together = together(all, i);
      if (together.isPresent()) {
        return together.get();
      }
    }
    throw new QueryFailure(
        QueryFailure.Kind.BAD_DATA,
        "these tenants cannot be queried together: their scopes differ in more than one label");
  }

  /** All scopes in one, if they differ only in the values of the matcher at one position. */
  private static Optional<List<Matcher>> together(List<List<Matcher>> all, int place) {
    String name = all.getFirst().get(place).name();
    TreeSet<String> values = new TreeSet<>();
    List<Matcher> others = new ArrayList<>(all.getFirst());
    others.remove(place);
    for (List<Matcher> matchers : all) {
      List<Matcher> rest = new ArrayList<>(matchers);
      if (matchers.size() <= place || !rest.remove(place).name().equals(name)) {
        return Optional.empty();
      }
      Matcher matcher = matchers.get(place);
      boolean names = matcher.kind() == Matcher.Kind.EQUAL || matcher.kind() == Matcher.Kind.REGEX;
      if (!names || !rest.equals(others)) {
        return Optional.empty();
      }
      values.add(
          matcher.kind() == Matcher.Kind.EQUAL
              ? quoted(matcher.value())
              : "(?:" + matcher.value() + ")");
    }
    StringJoiner either = new StringJoiner("|");
    values.forEach(either::add);
    others.add(Matcher.of(Matcher.Kind.REGEX, name, either.toString()));
    return Optional.of(List.copyOf(others));
  }

  private static String quoted(String text) {
    return text.replaceAll("[^\\p{Alnum}_]", "\\\\$0");
  }
}
