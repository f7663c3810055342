package io.fleetgauge.promql.usage;

import java.util.List;

/**
 * Who shares a device, in whole parts. A part of an amount that grows grows with it, and the parts
 * of it are the amount.
 */
final class Split {
  final Account[] accounts;
  private final long[] weights;
  private final long[] starts;
  private final long total;

  private Split(Account[] accounts, long[] weights) {
    this.accounts = accounts;
    this.weights = weights;
    this.starts = new long[weights.length];
    long sum = 0;
    for (int i = 0; i < weights.length; i++) {
      starts[i] = sum;
      sum += weights[i];
    }
    this.total = sum;
  }

  static Split even(List<Account> accounts) {
    long[] weights = new long[accounts.size()];
    java.util.Arrays.fill(weights, 1);
    return new Split(accounts.toArray(Account[]::new), weights);
  }

  /**
   * @param weights of the splits
   */
  static Split of(List<Split> splits, long[] weights) {
    long multiple = 1;
    int size = 0;
    for (Split split : splits) {
      multiple = multiple / gcd(multiple, split.total) * split.total;
      size += split.accounts.length;
    }
    Account[] accounts = new Account[size];
    long[] all = new long[size];
    int at = 0;
    for (int i = 0; i < weights.length; i++) {
      Split split = splits.get(i);
      for (int j = 0; j < split.accounts.length; j++) {
        accounts[at] = split.accounts[j];
        all[at++] = weights[i] * split.weights[j] * (multiple / split.total);
      }
    }
    return new Split(accounts, all);
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  int size() {
    return accounts.length;
  }

  /** The part of one of them. */
  long part(int i, long amount) {
    if (total == 1) {
      return amount;
    }
    long rest = Math.min(Math.max(amount % total - starts[i], 0), weights[i]);
    return amount / total * weights[i] + rest;
  }

  boolean isSame(Split other) {
    return java.util.Arrays.equals(accounts, other.accounts)
        && java.util.Arrays.equals(weights, other.weights);
  }
}
