package io.fleetgauge.promql.function;

import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.kernel.Calendar;
import io.fleetgauge.promql.kernel.Maths;

/** Functions that map each value of a vector by itself. */
public final class ElementFunctions {
  private ElementFunctions() {}

  /**
   * @param scalars the function's scalar arguments at each step, in their order
   */
  public static void apply(
      Function.Element function, double[] in, double[][] scalars, double[] out) {
    switch (function) {
      case ABS -> Maths.abs(in, out);
      case CEIL -> Maths.ceil(in, out);
      case FLOOR -> Maths.floor(in, out);
      case EXP -> Maths.exp(in, out);
      case SQRT -> Maths.sqrt(in, out);
      case LN -> Maths.ln(in, out);
      case LOG2 -> Maths.log2(in, out);
      case LOG10 -> Maths.log10(in, out);
      case SGN -> Maths.sgn(in, out);
      case SIN -> Maths.sin(in, out);
      case COS -> Maths.cos(in, out);
      case TAN -> Maths.tan(in, out);
      case ASIN -> Maths.asin(in, out);
      case ACOS -> Maths.acos(in, out);
      case ATAN -> Maths.atan(in, out);
      case SINH -> Maths.sinh(in, out);
      case COSH -> Maths.cosh(in, out);
      case TANH -> Maths.tanh(in, out);
      case ASINH -> Maths.asinh(in, out);
      case ACOSH -> Maths.acosh(in, out);
      case ATANH -> Maths.atanh(in, out);
      case DEG -> Maths.deg(in, out);
      case RAD -> Maths.rad(in, out);
      case ROUND -> Maths.round(in, scalars[0], out);
      case CLAMP -> Maths.clamp(in, scalars[0], scalars[1], out);
      case CLAMP_MIN -> Maths.clampMin(in, scalars[0], out);
      case CLAMP_MAX -> Maths.clampMax(in, scalars[0], out);
      case MINUTE -> Calendar.minute(in, out);
      case HOUR -> Calendar.hour(in, out);
      case DAY_OF_WEEK -> Calendar.dayOfWeek(in, out);
      case DAY_OF_MONTH -> Calendar.dayOfMonth(in, out);
      case DAY_OF_YEAR -> Calendar.dayOfYear(in, out);
      case DAYS_IN_MONTH -> Calendar.daysInMonth(in, out);
      case MONTH -> Calendar.month(in, out);
      case YEAR -> Calendar.year(in, out);
    }
  }
}
