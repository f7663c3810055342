package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.BinaryOp;
import io.fleetgauge.promql.kernel.Arithmetic;

/** Which loop an operator is. */
final class Operators {
  private Operators() {}

  /** Applies an arithmetic operator, or a comparison that gives 1 and 0. */
  static void apply(BinaryOp op, double[] left, double[] right, double[] out) {
    switch (op) {
      case ADD -> Arithmetic.add(left, right, out);
      case SUBTRACT -> Arithmetic.subtract(left, right, out);
      case MULTIPLY -> Arithmetic.multiply(left, right, out);
      case DIVIDE -> Arithmetic.divide(left, right, out);
      case MODULO -> Arithmetic.modulo(left, right, out);
      case POWER -> Arithmetic.power(left, right, out);
      case ATAN2 -> Arithmetic.atan2(left, right, out);
      case EQUAL -> Arithmetic.equal(left, right, out);
      case NOT_EQUAL -> Arithmetic.notEqual(left, right, out);
      case LESS -> Arithmetic.less(left, right, out);
      case LESS_OR_EQUAL -> Arithmetic.lessOrEqual(left, right, out);
      case GREATER -> Arithmetic.less(right, left, out);
      case GREATER_OR_EQUAL -> Arithmetic.lessOrEqual(right, left, out);
      case AND, OR, UNLESS -> throw new IllegalStateException(op.text);
    }
  }
}
