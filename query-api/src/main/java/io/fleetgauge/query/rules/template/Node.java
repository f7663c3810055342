package io.fleetgauge.query.rules.template;

import java.util.List;

/** A part of a parsed template. */
sealed interface Node {
  /**
   * A part that writes something, or decides what is written.
   *
   * <p>All but texts have {@code from} and {@code to}: where the action begins and ends that they
   * are, or begin with.
   */
  sealed interface Statement extends Node {}

  /** A word of a command. */
  sealed interface Operand extends Node {}

  record Block(List<Statement> statements) implements Node {
    static final Block EMPTY = new Block(List.of());
  }

  record Text(String text) implements Statement {}

  /** Writes the value of a pipeline, unless it sets a variable. */
  record Action(int from, int to, Pipe pipe) implements Statement {}

  record If(int from, int to, Pipe pipe, Block then, Block otherwise) implements Statement {}

  record With(int from, int to, Pipe pipe, Block then, Block otherwise) implements Statement {}

  record Range(int from, int to, Pipe pipe, Block each, Block otherwise) implements Statement {}

  /**
   * Writes a template that is defined.
   *
   * @param pipe null if it gets no value
   */
  record Invocation(int from, int to, String name, Pipe pipe) implements Statement {}

  /**
   * @param variables that get the value; two in a range only
   * @param declares true if the variables are new
   */
  record Pipe(List<String> variables, boolean declares, List<Command> commands)
      implements Operand {}

  /** A word with its arguments. */
  record Command(Operand first, List<Operand> arguments) implements Node {}

  record Call(TemplateFunction function) implements Operand {}

  record Variable(String name) implements Operand {}

  record Dot() implements Operand {}

  record Fields(Operand of, List<String> names) implements Operand {}

  record Literal(TemplateValue value) implements Operand {}
}
