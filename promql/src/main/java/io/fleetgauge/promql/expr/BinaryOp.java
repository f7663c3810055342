package io.fleetgauge.promql.expr;

/** The binary operators, by their family and how tightly they bind. */
public enum BinaryOp {
  OR("or", Family.SET, 1),
  AND("and", Family.SET, 2),
  UNLESS("unless", Family.SET, 2),
  EQUAL("==", Family.COMPARISON, 3),
  NOT_EQUAL("!=", Family.COMPARISON, 3),
  LESS("<", Family.COMPARISON, 3),
  LESS_OR_EQUAL("<=", Family.COMPARISON, 3),
  GREATER(">", Family.COMPARISON, 3),
  GREATER_OR_EQUAL(">=", Family.COMPARISON, 3),
  ADD("+", Family.ARITHMETIC, 4),
  SUBTRACT("-", Family.ARITHMETIC, 4),
  MULTIPLY("*", Family.ARITHMETIC, 5),
  DIVIDE("/", Family.ARITHMETIC, 5),
  MODULO("%", Family.ARITHMETIC, 5),
  ATAN2("atan2", Family.ARITHMETIC, 5),
  POWER("^", Family.ARITHMETIC, 6);

  /** The kinds of answers that operators give. */
  public enum Family {
    SET,
    COMPARISON,
    ARITHMETIC
  }

  /** Precedence of a sign in front of an expression: as multiplication, below power. */
  public static final int UNARY_PRECEDENCE = 5;

  public final String text;
  public final Family family;
  public final int precedence;

  BinaryOp(String text, Family family, int precedence) {
    this.text = text;
    this.family = family;
    this.precedence = precedence;
  }

  public boolean isComparison() {
    return family == Family.COMPARISON;
  }

  public boolean isSet() {
    return family == Family.SET;
  }

  public boolean isRightAssociative() {
    return this == POWER;
  }
}
