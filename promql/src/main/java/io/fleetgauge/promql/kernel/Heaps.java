package io.fleetgauge.promql.kernel;

/**
 * The k largest or smallest values of one step, in a binary heap. The root is removed first, and
 * NaN before any number. Which of several equal values are kept follows from the order of swaps; it
 * is the same as in Go's container/heap, which Prometheus uses.
 */
public final class Heaps {
  private Heaps() {}

  /**
   * Adds a value to a heap that has room for it.
   *
   * @param ids an id for each value; it moves with the value
   * @param size the number of values in the heap before the call
   * @param top whether the largest are kept, else the smallest
   */
  public static void push(double[] values, int[] ids, int size, double value, int id, boolean top) {
    values[size] = value;
    ids[size] = id;
    int child = size;
    while (child > 0) {
      int parent = (child - 1) / 2;
      if (!goesBefore(values[child], values[parent], top)) {
        return;
      }
      swap(values, ids, child, parent);
      child = parent;
    }
  }

  /**
   * Replaces the root of a full heap if the value is better than the root.
   *
   * @return whether the root was replaced
   */
  public static boolean offer(
      double[] values, int[] ids, int size, double value, int id, boolean top) {
    double root = values[0];
    boolean better = top ? root < value : root > value;
    if (!better && !(root != root && value == value)) {
      return false;
    }
    values[0] = value;
    ids[0] = id;
    int parent = 0;
    while (true) {
      int child = 2 * parent + 1;
      if (child >= size) {
        return true;
      }
      if (child + 1 < size && goesBefore(values[child + 1], values[child], top)) {
        child++;
      }
      if (!goesBefore(values[child], values[parent], top)) {
        return true;
      }
      swap(values, ids, child, parent);
      parent = child;
    }
  }

  /** Sorts: the best first, NaN last; equal values keep their order. */
  public static void sort(double[] values, int[] ids, int size, boolean top) {
    for (int i = 1; i < size; i++) {
      double value = values[i];
      int id = ids[i];
      int j = i;
      while (j > 0 && isBetter(value, values[j - 1], top)) {
        values[j] = values[j - 1];
        ids[j] = ids[j - 1];
        j--;
      }
      values[j] = value;
      ids[j] = id;
    }
  }

  private static boolean isBetter(double a, double b, boolean top) {
    return a == a && (b != b || (top ? a > b : a < b));
  }

  private static boolean goesBefore(double a, double b, boolean top) {
    return a != a || (top ? a < b : a > b);
  }

  private static void swap(double[] values, int[] ids, int a, int b) {
    double value = values[a];
    values[a] = values[b];
    values[b] = value;
    int id = ids[a];
    ids[a] = ids[b];
    ids[b] = id;
  }
}
