package io.fleetgauge.sample.regexp;

import java.util.List;

/** An expression as a tree. */
sealed interface Node {
  /** The empty text. */
  record Empty() implements Node {}

  /** One character. */
  record One(CharacterSet set) implements Node {}

  /** A position. */
  record At(Assertion assertion) implements Node {}

  /**
   * A part whose bounds are remembered.
   *
   * @param number counted from 1
   */
  record Group(int number, Node of) implements Node {}

  /** Parts one behind the other. */
  record Sequence(List<Node> parts) implements Node {}

  /** One of some, the first preferred. */
  record Choice(List<Node> of) implements Node {}

  /**
   * A part several times.
   *
   * @param max -1 for any number
   * @param greedy whether more is preferred
   */
  record Repeat(Node of, int min, int max, boolean greedy) implements Node {}

  /** Whether it can match the empty text. */
  default boolean isNullable() {
    return switch (this) {
      case Empty _, At _ -> true;
      case One _ -> false;
      case Group group -> group.of.isNullable();
      case Sequence sequence -> sequence.parts.stream().allMatch(Node::isNullable);
      case Choice choice -> choice.of.stream().anyMatch(Node::isNullable);
      case Repeat repeat -> repeat.min == 0 || repeat.of.isNullable();
    };
  }
}
