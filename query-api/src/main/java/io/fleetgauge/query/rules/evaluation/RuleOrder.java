package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.template.Template;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Which rules of a group are evaluated at the same time, so that the results are those of one after
 * the other: a rule sees what rules before it have written at this slot, and nothing that rules
 * behind it will write.
 */
final class RuleOrder {
  /**
   * @param rules their places in the group
   * @param seen true if rules of later rounds read what these write
   */
  record Round(List<Integer> rules, boolean seen) {}

  private RuleOrder() {}

  /** The rounds; all rules of a round are asked before any of them writes. */
  static List<Round> of(List<Rule> rules) {
    List<Reads> reads = rules.stream().map(Reads::of).toList();
    int[] round = new int[rules.size()];
    int last = -1;
    for (int i = 0; i < rules.size(); i++) {
      for (int j = 0; j < i; j++) {
        if (reads.get(i).reads(rules.get(j))) {
          round[i] = Math.max(round[i], round[j] + 1);
        } else if (reads.get(j).reads(rules.get(i)) || sameName(rules.get(i), rules.get(j))) {
          round[i] = Math.max(round[i], round[j]);
        }
      }
      last = Math.max(last, round[i]);
    }
    List<Round> rounds = new ArrayList<>();
    for (int at = 0; at <= last; at++) {
      List<Integer> members = new ArrayList<>();
      boolean seen = false;
      for (int i = 0; i < rules.size(); i++) {
        if (round[i] == at) {
          members.add(i);
        }
        if (round[i] > at) {
          for (int j = 0; j < i; j++) {
            seen |= round[j] == at && reads.get(i).reads(rules.get(j));
          }
        }
      }
      rounds.add(new Round(members, seen));
    }
    return rounds;
  }

  private static boolean sameName(Rule rule, Rule other) {
    return rule instanceof Rule.Recording
        && other instanceof Rule.Recording
        && rule.name().equals(other.name());
  }

  /**
   * Which metrics a rule reads.
   *
   * @param all true if it may read any
   */
  private record Reads(boolean all, List<Matcher> names) {
    static Reads of(Rule rule) {
      List<Matcher> names = new ArrayList<>();
      boolean[] all = {rule instanceof Rule.Alerting alerting && asks(alerting)};
      selectors(
          rule.expression(),
          selector -> {
            Optional<Matcher> name =
                selector.matchers().stream().filter(m -> m.name().equals(Labels.NAME)).findFirst();
            name.ifPresentOrElse(names::add, () -> all[0] = true);
          });
      return new Reads(all[0], names);
    }

    private static boolean asks(Rule.Alerting rule) {
      return rule.labels().values().stream().anyMatch(Template::mayAsk)
          || rule.annotations().values().stream().anyMatch(Template::mayAsk);
    }

    boolean reads(Rule other) {
      return switch (other) {
        case Rule.Recording recording -> all || matches(recording.name());
        case Rule.Alerting alerting ->
            all || matches(Alerts.STATE_SERIES) || matches(Alerts.SINCE_SERIES);
      };
    }

    private boolean matches(String metric) {
      return names.stream().anyMatch(name -> name.matches(metric));
    }
  }

  private static void selectors(Expr expr, Consumer<Expr.Selector> found) {
    if (expr instanceof Expr.Selector selector) {
      found.accept(selector);
    }
    expr.children().forEach(child -> selectors(child, found));
  }
}
