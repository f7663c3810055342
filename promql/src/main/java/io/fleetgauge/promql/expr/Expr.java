package io.fleetgauge.promql.expr;

import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A PromQL expression; immutable. {@code toString()} is PromQL that parses back to an equal tree.
 *
 * <p>Durations and times are milliseconds.
 */
public sealed interface Expr {
  TextSpan span();

  default ValueType type() {
    return switch (this) {
      case Number _ -> ValueType.SCALAR;
      case Text _ -> ValueType.STRING;
      case Selector _, Aggregate _ -> ValueType.VECTOR;
      case Window _, Subquery _ -> ValueType.MATRIX;
      case Call call -> call.function().returns();
      case Unary unary -> unary.input().type();
      case Binary binary -> binary.type();
      case Paren paren -> paren.inner().type();
    };
  }

  /** This expression without the parentheses around it. */
  default Expr withoutParens() {
    Expr inner = this;
    while (inner instanceof Paren paren) {
      inner = paren.inner();
    }
    return inner;
  }

  /** The expressions that this one is made of, in the order of its text. */
  default List<Expr> children() {
    return switch (this) {
      case Number number -> List.of();
      case Text text -> List.of();
      case Selector selector -> List.of();
      case Window window -> List.of(window.selector());
      case Subquery subquery -> List.of(subquery.input());
      case Call call -> call.arguments();
      case Aggregate aggregate ->
          aggregate
              .parameter()
              .map(parameter -> List.of(parameter, aggregate.input()))
              .orElse(List.of(aggregate.input()));
      case Unary unary -> List.of(unary.input());
      case Binary binary -> List.of(binary.left(), binary.right());
      case Paren paren -> List.of(paren.inner());
    };
  }

  /** This expression of other parts, as many as {@link #children()} has, in the same order. */
  default Expr with(List<Expr> parts) {
    return switch (this) {
      case Number number -> this;
      case Text text -> this;
      case Selector selector -> this;
      case Window window -> new Window((Selector) parts.getFirst(), window.range(), window.span());
      case Subquery subquery ->
          new Subquery(
              parts.getFirst(),
              subquery.range(),
              subquery.step(),
              subquery.shift(),
              subquery.span());
      case Call call -> new Call(call.function(), parts, call.span());
      case Aggregate aggregate ->
          new Aggregate(
              aggregate.op(),
              aggregate.grouping(),
              parts.size() == 1 ? Optional.empty() : Optional.of(parts.getFirst()),
              parts.getLast(),
              aggregate.span());
      case Unary unary -> new Unary(unary.minus(), parts.getFirst(), unary.span());
      case Binary binary ->
          new Binary(
              binary.op(),
              parts.getFirst(),
              parts.getLast(),
              binary.bool(),
              binary.matching(),
              binary.span());
      case Paren paren -> new Paren(parts.getFirst(), paren.span());
    };
  }

  /**
   * @param duration whether it was written as one ({@code 5m}); the value is in seconds
   */
  record Number(double value, boolean duration, TextSpan span) implements Expr {
    public Number(double value, TextSpan span) {
      this(value, false, span);
    }

    @Override
    public String toString() {
      return Printer.print(this);
    }
  }

  record Text(String value, TextSpan span) implements Expr {
    @Override
    public String toString() {
      return Printer.print(this);
    }
  }

  /** A point in time that {@code @} fixes. */
  sealed interface At {
    record Time(long millis) implements At {}

    record Start() implements At {}

    record End() implements At {}
  }

  /**
   * At which time an expression is evaluated.
   *
   * @param at the point that {@code @} fixes, if any
   * @param offset how far back from there, ms; below 0 looks ahead
   */
  record Shift(Optional<At> at, long offset) {
    public static final Shift NONE = new Shift(Optional.empty(), 0);
  }

  /** The use of samples at and beyond the edges of a window. */
  enum Edges {
    /** Only what lies in the window counts. */
    PLAIN(""),
    /** The newest sample before the window stands at its start. */
    ANCHORED("anchored"),
    /** Values at both edges are interpolated. */
    SMOOTHED("smoothed");

    /** The keyword; empty for {@link #PLAIN}. */
    public final String text;

    Edges(String text) {
      this.text = text;
    }
  }

  /**
   * @param named whether the metric's name stands before the braces; it is the last matcher then
   * @param readings what is read, where the query uses aliases: the union of these, the first one
   *     first where two have a sample of one series and time; empty when the matchers say it
   */
  record Selector(
      List<Matcher> matchers,
      boolean named,
      Shift shift,
      Edges edges,
      List<Reading> readings,
      TextSpan span)
      implements Expr {
    /** A selector whose matchers all stand in the braces. */
    public Selector(List<Matcher> matchers, Shift shift, TextSpan span) {
      this(matchers, false, shift, Edges.PLAIN, span);
    }

    /** A selector that uses no aliases. */
    public Selector(
        List<Matcher> matchers, boolean named, Shift shift, Edges edges, TextSpan span) {
      this(matchers, named, shift, edges, List.of(), span);
    }

    /** In which order matchers stand makes no difference. */
    @Override
    public boolean equals(Object other) {
      return other instanceof Selector that
          && Set.copyOf(matchers).equals(Set.copyOf(that.matchers))
          && named == that.named
          && shift.equals(that.shift)
          && edges == that.edges
          && readings.equals(that.readings);
    }

    @Override
    public int hashCode() {
      return 31 * Set.copyOf(matchers).hashCode() + shift.hashCode();
    }

    /** The same series at another time. */
    public Selector with(Shift otherShift, TextSpan otherSpan) {
      return new Selector(matchers, named, otherShift, edges, readings, otherSpan);
    }

    public Selector with(Edges otherEdges, TextSpan otherSpan) {
      return new Selector(matchers, named, shift, otherEdges, readings, otherSpan);
    }

    /** The same with aliases. */
    public Selector reading(List<Reading> otherReadings) {
      return new Selector(matchers, named, shift, edges, otherReadings, span);
    }

    /** The same with more matchers, of what is stored. */
    public Selector scoped(List<Matcher> scope) {
      // The matcher of a name that stands before the braces has to be the last, and no other is in
      // them.
      List<Matcher> all = new ArrayList<>(scope);
      all.addAll(matchers);
      boolean named =
          this.named && scope.stream().noneMatch(each -> each.name().equals(Labels.NAME));
      List<Reading> scopedReadings =
          readings.stream().map(reading -> reading.scoped(scope)).toList();
      return new Selector(all, named, shift, edges, scopedReadings, span);
    }

    @Override
    public String toString() {
      return Printer.print(this);
    }
  }

  /** A range vector. */
  sealed interface Ranged extends Expr {
    /** Length of the window, ms. */
    long range();
  }

  /** {@code selector[range]}; offset and {@code @} belong to the selector. */
  record Window(Selector selector, long range, TextSpan span) implements Ranged {
    @Override
    public String toString() {
      return Printer.print(this);
    }
  }

  /**
   * {@code input[range:step]}.
   *
   * @param step 0 for the default of the server
   */
  record Subquery(Expr input, long range, long step, Shift shift, TextSpan span) implements Ranged {
    @Override
    public String toString() {
      return Printer.print(this);
    }
  }

  record Call(Function function, List<Expr> arguments, TextSpan span) implements Expr {
    @Override
    public String toString() {
      return Printer.print(this);
    }
  }

  /**
   * Which labels make a group.
   *
   * @param without whether the labels are those left out
   */
  record Grouping(boolean without, List<String> labels) {
    public static final Grouping ALL = new Grouping(false, List.of());
  }

  record Aggregate(
      Aggregation op, Grouping grouping, Optional<Expr> parameter, Expr input, TextSpan span)
      implements Expr {
    @Override
    public String toString() {
      return Printer.print(this);
    }
  }

  /** A sign before an expression. */
  record Unary(boolean minus, Expr input, TextSpan span) implements Expr {
    @Override
    public String toString() {
      return Printer.print(this);
    }
  }

  /**
   * The way in which the elements of two vectors find each other.
   *
   * @param on whether {@code labels} are the ones compared, else the ones ignored
   * @param many which side may have several elements for one of the other
   * @param include labels that the many side takes over from the one side
   * @param fill values in place of a partner that is not there
   */
  record Matching(boolean on, List<String> labels, Many many, List<String> include, Fill fill) {
    public static final Matching DEFAULT =
        new Matching(false, List.of(), Many.NEITHER, List.of(), Fill.NONE);

    /** The value that stands for a missing element of either side, if any does. */
    public record Fill(Optional<Double> left, Optional<Double> right) {
      public static final Fill NONE = new Fill(Optional.empty(), Optional.empty());
    }

    /** Which side of an operator has many elements for one of the other. */
    public enum Many {
      NEITHER,
      LEFT,
      RIGHT
    }
  }

  /**
   * @param bool whether a comparison answers 0 and 1 in place of filtering
   * @param matching {@link Matching#DEFAULT} unless both sides are vectors
   * @param type kept, because to find it anew would go down the whole tree
   */
  record Binary(
      BinaryOp op,
      Expr left,
      Expr right,
      boolean bool,
      Matching matching,
      TextSpan span,
      ValueType type)
      implements Expr {
    public Binary(
        BinaryOp op, Expr left, Expr right, boolean bool, Matching matching, TextSpan span) {
      this(op, left, right, bool, matching, span, typeOf(left, right));
    }

    private static ValueType typeOf(Expr left, Expr right) {
      return left.type() == ValueType.SCALAR && right.type() == ValueType.SCALAR
          ? ValueType.SCALAR
          : ValueType.VECTOR;
    }

    @Override
    public String toString() {
      return Printer.print(this);
    }
  }

  record Paren(Expr inner, TextSpan span) implements Expr {
    @Override
    public String toString() {
      return Printer.print(this);
    }
  }
}
