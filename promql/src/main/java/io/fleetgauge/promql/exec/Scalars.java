package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.BinaryOp;

/** Operators on two numbers, as at each step of a column. */
public final class Scalars {
  private Scalars() {}

  public static double apply(BinaryOp op, double left, double right) {
    double[] out = new double[1];
    Operators.apply(op, new double[] {left}, new double[] {right}, out);
    return out[0];
  }
}
