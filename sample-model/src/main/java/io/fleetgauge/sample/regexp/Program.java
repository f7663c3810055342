package io.fleetgauge.sample.regexp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** An expression as instructions; the first is number 0. */
final class Program {
  /** Ends a match. */
  static final int MATCH = 0;

  /** Reads a character of {@link #set}. */
  static final int CHARACTER = 1;

  /** Goes on at {@link #first}, or if that fails at {@link #second}. */
  static final int SPLIT = 2;

  /** Goes on at {@link #first}. */
  static final int JUMP = 3;

  /** Remembers the position; {@link #first} is the place of the bound. */
  static final int GROUP = 4;

  /** Goes on if the {@link Assertion} numbered {@link #first} holds. */
  static final int ASSERTION = 5;

  /** Bounds the memory of an expression and the time per character. */
  private static final int MAX_LENGTH = 20_000;

  private final List<String> groupNames;
  private int[] ops = new int[16];
  private int[] firsts = new int[16];
  private int[] seconds = new int[16];
  private final List<CharacterSet> sets = new ArrayList<>();
  private int length;

  private Program(List<String> groupNames) {
    this.groupNames = List.copyOf(groupNames);
  }

  /**
   * @param groupNames by number; the first stands for the whole match
   */
  static Program of(Node tree, List<String> groupNames) {
    Program program = new Program(groupNames);
    program.write(tree);
    program.add(MATCH, 0, 0, null);
    return program;
  }

  List<String> groupNames() {
    return groupNames;
  }

  int length() {
    return length;
  }

  int op(int at) {
    return ops[at];
  }

  int first(int at) {
    return firsts[at];
  }

  int second(int at) {
    return seconds[at];
  }

  CharacterSet set(int at) {
    return sets.get(at);
  }

  /** Whether a match can begin only where the text does. */
  boolean isAnchored() {
    return ops[0] == ASSERTION && firsts[0] == Assertion.TEXT_BEGINS.ordinal();
  }

  private int add(int op, int first, int second, CharacterSet set) {
    if (length == MAX_LENGTH) {
      throw new IllegalArgumentException(
          "expression too large: it needs more than " + MAX_LENGTH + " instructions");
    }
    if (length == ops.length) {
      ops = Arrays.copyOf(ops, 2 * length);
      firsts = Arrays.copyOf(firsts, 2 * length);
      seconds = Arrays.copyOf(seconds, 2 * length);
    }
    ops[length] = op;
    firsts[length] = first;
    seconds[length] = second;
    sets.add(set);
    return length++;
  }

  private void write(Node node) {
    switch (node) {
      case Node.Empty _ -> {}
      case Node.One one -> add(CHARACTER, 0, 0, one.set());
      case Node.At at -> add(ASSERTION, at.assertion().ordinal(), 0, null);
      case Node.Group group -> {
        add(GROUP, 2 * group.number(), 0, null);
        write(group.of());
        add(GROUP, 2 * group.number() + 1, 0, null);
      }
      case Node.Sequence sequence -> sequence.parts().forEach(this::write);
      case Node.Choice choice -> choice(choice.of());
      case Node.Repeat repeat -> repeat(repeat);
    }
  }

  private void choice(List<Node> nodes) {
    List<Integer> jumps = new ArrayList<>();
    for (int i = 0; i < nodes.size() - 1; i++) {
      int split = add(SPLIT, 0, 0, null);
      firsts[split] = length;
      write(nodes.get(i));
      jumps.add(add(JUMP, 0, 0, null));
      seconds[split] = length;
    }
    write(nodes.getLast());
    jumps.forEach(jump -> firsts[jump] = length);
  }

  private void repeat(Node.Repeat repeat) {
    Node of = repeat.of();
    if (repeat.max() < 0) {
      for (int i = 1; i < repeat.min(); i++) {
        write(of);
      }
      if (repeat.min() > 0) {
        atLeastOnce(of, repeat.greedy());
      } else if (of.isNullable()) {
        // The same texts as (of+)?, and the order of preference is right.
        maybe(() -> atLeastOnce(of, repeat.greedy()), repeat.greedy());
      } else {
        anyNumber(of, repeat.greedy());
      }
      return;
    }
    for (int i = 0; i < repeat.min(); i++) {
      write(of);
    }
    List<Integer> splits = new ArrayList<>();
    for (int i = repeat.min(); i < repeat.max(); i++) {
      splits.add(add(SPLIT, 0, 0, null));
      write(of);
    }
    for (int split : splits) {
      target(split, split + 1, length, repeat.greedy());
    }
  }

  private void atLeastOnce(Node of, boolean greedy) {
    int begin = length;
    write(of);
    int split = add(SPLIT, 0, 0, null);
    target(split, begin, length, greedy);
  }

  private void anyNumber(Node of, boolean greedy) {
    int split = add(SPLIT, 0, 0, null);
    write(of);
    add(JUMP, split, 0, null);
    target(split, split + 1, length, greedy);
  }

  private void maybe(Runnable body, boolean greedy) {
    int split = add(SPLIT, 0, 0, null);
    body.run();
    target(split, split + 1, length, greedy);
  }

  private void target(int split, int more, int less, boolean greedy) {
    firsts[split] = greedy ? more : less;
    seconds[split] = greedy ? less : more;
  }
}
