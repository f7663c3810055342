package io.fleetgauge.promql.function;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.InvalidUtf8;
import io.fleetgauge.promql.expr.Rewriting;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code label_replace} and {@code label_join}. */
public final class LabelFunctions {
  /** Longest value of a label that a query makes, characters: nested calls may double it. */
  public static final int MAX_VALUE = 65_536;

  /** Longer values count as samples that are held: one for so many bytes. */
  private static final int LONG_VALUE = 1_024;

  private static final int BYTES_OF_A_SAMPLE = 16;

  private LabelFunctions() {}

  /** Gives a column its new labels. */
  public interface Relabelling {
    Column apply(Column column) throws QueryFailure;
  }

  private static List<String> texts(Expr.Call call) {
    List<String> texts = new ArrayList<>();
    for (Expr argument : call.arguments().subList(1, call.arguments().size())) {
      texts.add(((Expr.Text) argument.withoutParens()).value());
    }
    return texts;
  }

  public static Relabelling replace(Expr.Call call, Budget budget) throws QueryFailure {
    List<String> texts = texts(call);
    String target = texts.get(0);
    Rewriting rewriting;
    try {
      rewriting = new Rewriting(texts.get(3), texts.get(1));
    } catch (IllegalArgumentException e) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION,
          "invalid regular expression in label_replace(): " + texts.get(3));
    }
    requireLabelName(target, "label_replace");
    return column -> {
      Optional<String> value = rewriting.apply(column.labels().value(texts.get(2)), MAX_VALUE);
      if (value.isEmpty()) {
        return column;
      }
      requireRoom("label_replace", target, value.get().length(), budget);
      return relabelled(column, target, value.get());
    };
  }

  public static Relabelling join(Expr.Call call, Budget budget) throws QueryFailure {
    List<String> texts = texts(call);
    String target = texts.get(0);
    for (String source : texts.subList(2, texts.size())) {
      if (!isLabelName(source)) {
        throw new QueryFailure(
            QueryFailure.Kind.EXECUTION, "invalid source label name in label_join(): " + source);
      }
    }
    requireLabelName(target, "label_join");
    return column -> {
      List<String> values = new ArrayList<>();
      long length = 0;
      for (String source : texts.subList(2, texts.size())) {
        length += values.isEmpty() ? 0 : texts.get(1).length();
        values.add(column.labels().value(source));
        length += values.getLast().length();
      }
      requireRoom("label_join", target, length, budget);
      return relabelled(column, target, String.join(texts.get(1), values));
    };
  }

  private static void requireRoom(String function, String target, long length, Budget budget)
      throws QueryFailure {
    if (length > MAX_VALUE) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION,
          function
              + "(): the value of label "
              + InvalidUtf8.replaced(target)
              + " would have more than the "
              + MAX_VALUE
              + " characters that are allowed");
    }
    if (length > LONG_VALUE) {
      // Such values differ from series to series, and stay in memory until the answer is written.
      budget.hold(length / BYTES_OF_A_SAMPLE);
    }
  }

  private static Column relabelled(Column column, String target, String value) {
    Column relabelled = column.with(column.labels().with(target, InvalidUtf8.replaced(value)));
    // A name that was set on purpose stays.
    return target.equals(Labels.NAME) ? relabelled.withNameDropped(false) : relabelled;
  }

  private static void requireLabelName(String name, String function) throws QueryFailure {
    if (!isLabelName(name)) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION,
          "invalid destination label name in " + function + "(): " + name);
    }
  }

  /** Returns true if a text can name a label, which any text of valid UTF-8 can. */
  public static boolean isLabelName(String name) {
    return !name.isEmpty() && !InvalidUtf8.in(name);
  }
}
