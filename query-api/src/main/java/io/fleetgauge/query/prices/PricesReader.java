package io.fleetgauge.query.prices;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.runtime.yaml.BadYaml;
import io.fleetgauge.runtime.yaml.YamlTree;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Reads {@code report.prices}; docs/report.md describes its form. */
final class PricesReader {
  private static final Set<String> KEYS =
      new TreeSet<>(List.of("currency", "zone", "cpu", "memory", "prices"));
  private static final Set<String> OF_RULE =
      new TreeSet<>(List.of("name", "model", "profile", "tenant", "from", "to", "hours", "price"));
  private static final Pattern HOURS = Pattern.compile("(\\d{1,2})-(\\d{1,2})");
  private static final int MOST_RULES = 10_000;
  private static final int MOST_NAME = 100;
  private static final int MOST_CURRENCY = 16;

  private final Problems problems = new Problems();
  private ZoneId zone = Prices.UTC;

  private PricesReader() {}

  static RateFile.Content<Prices> read(String yaml, Prices before) {
    JsonNode root;
    try {
      root = YamlTree.read(yaml);
    } catch (BadYaml e) {
      return RateFile.Content.none(before, e.getMessage());
    }
    if (root.isMissingNode()) {
      return new RateFile.Content<>(Prices.NONE, 0, List.of());
    }
    if (!root.isObject() || !root.path("prices").isArray()) {
      return RateFile.Content.none(before, "the key prices has no list of prices");
    }
    return new PricesReader().read(root);
  }

  private RateFile.Content<Prices> read(JsonNode root) {
    for (Map.Entry<String, JsonNode> each : root.properties()) {
      if (!KEYS.contains(each.getKey())) {
        problems.add(RateForm.shown(each.getKey()) + " is unknown; known is " + KEYS);
      }
    }
    if (root.has("zone")) {
      try {
        zone = ZoneId.of(root.path("zone").asText());
      } catch (DateTimeException e) {
        problems.add(
            "zone is left out: "
                + RateForm.shown(root.path("zone").asText())
                + " is no time zone such as Europe/Berlin");
      }
    }
    String currency = root.path("currency").asText();
    if (currency.length() > MOST_CURRENCY || !RateForm.isPlain(currency)) {
      problems.add("currency is left out: it has more than 16 characters, or odd ones");
      currency = "";
    }
    Optional<BigDecimal> cpu = price(root, "cpu");
    Optional<BigDecimal> memory = price(root, "memory");
    List<PriceRule> rules = new ArrayList<>();
    Set<String> names = new HashSet<>();
    int at = 0;
    for (JsonNode entry : root.path("prices")) {
      at++;
      try {
        if (rules.size() >= MOST_RULES) {
          throw new Unreadable("there are more than " + MOST_RULES + " prices");
        }
        PriceRule rule = rule(entry, at);
        if (!names.add(rule.name())) {
          throw new Unreadable("an entry before has the name " + RateForm.shown(rule.name()));
        }
        rules.add(rule);
      } catch (Unreadable e) {
        problems.add("entry " + at + " of prices is left out: " + e.getMessage());
      }
    }
    return problems.content(new Prices(currency, zone, cpu, memory, rules));
  }

  /** Says what is wrong with an entry. */
  private static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    Unreadable(String message) {
      super(message, null, false, false);
    }
  }

  private Optional<BigDecimal> price(JsonNode root, String key) {
    Optional<BigDecimal> price = RateForm.number(root.path(key).asText());
    if (root.has(key) && price.isEmpty()) {
      problems.add(key + " is left out: " + noPrice(root.path(key).asText()));
    }
    return price;
  }

  private static String noPrice(String text) {
    return "price is "
        + RateForm.shown(text)
        + "; it has to be a number of at most 9 digits and 9 decimals";
  }

  private PriceRule rule(JsonNode entry, int at) throws Unreadable {
    if (!entry.isObject()) {
      throw new Unreadable("it has no keys");
    }
    for (Map.Entry<String, JsonNode> each : entry.properties()) {
      if (!OF_RULE.contains(each.getKey())) {
        throw new Unreadable(RateForm.shown(each.getKey()) + " is unknown; known is " + OF_RULE);
      }
      if (each.getValue().isContainerNode() || each.getValue().isNull()) {
        throw new Unreadable(each.getKey() + " has no value");
      }
      if (!RateForm.isPlain(each.getValue().asText())) {
        throw new Unreadable(each.getKey() + " has bytes that are no text in UTF-8");
      }
    }
    String name = entry.has("name") ? entry.path("name").asText() : "entry " + at;
    if (name.isBlank() || name.length() > MOST_NAME) {
      throw new Unreadable("name has to have 1 to " + MOST_NAME + " characters");
    }
    long from = time(entry, "from", Long.MIN_VALUE);
    long to = time(entry, "to", Long.MAX_VALUE);
    if (to <= from) {
      throw new Unreadable("to has to be after from");
    }
    String price = entry.path("price").asText();
    return new PriceRule(
        name,
        matcher(entry, "model", "modelName"),
        matcher(entry, "profile", "GPU_I_PROFILE"),
        matcher(entry, "tenant", "tenant"),
        from,
        to,
        hours(entry),
        RateForm.number(price).orElseThrow(() -> new Unreadable(noPrice(price))));
  }

  private static Matcher matcher(JsonNode entry, String key, String label) throws Unreadable {
    String text = entry.path(key).asText(".*");
    return RateForm.matcher(label, text)
        .orElseThrow(
            () -> new Unreadable(key + " is no regular expression: " + RateForm.shown(text)));
  }

  private long time(JsonNode entry, String key, long otherwise) throws Unreadable {
    if (!entry.has(key)) {
      return otherwise;
    }
    String text = entry.path(key).asText();
    OptionalLong time = RateForm.time(text, zone);
    if (time.isEmpty()) {
      throw new Unreadable(
          key
              + " is "
              + RateForm.shown(text)
              + ", no date such as 2026-11-01 and no RFC 3339 time");
    }
    return time.getAsLong();
  }

  private static HoursOfDay hours(JsonNode entry) throws Unreadable {
    if (!entry.has("hours")) {
      return HoursOfDay.ALL;
    }
    String text = entry.path("hours").asText();
    var parts = HOURS.matcher(text);
    if (parts.matches()) {
      int from = Integer.parseInt(parts.group(1));
      int to = Integer.parseInt(parts.group(2));
      if (from <= 23 && to <= 24 && from != to) {
        return new HoursOfDay(from, to);
      }
    }
    throw new Unreadable(
        "hours is " + RateForm.shown(text) + "; it has to be such as 8-18 or 22-6");
  }
}
