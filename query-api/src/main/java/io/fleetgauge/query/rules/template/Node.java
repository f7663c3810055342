package io.fleetgauge.query.rules.template;

import java.util.List;
import java.util.stream.Collectors;

/** A part of a parsed template; {@code toString} is how Go's errors name it. */
sealed interface Node {
  /** Where it begins in the text. */
  int at();

  /** A part of a list. */
  sealed interface Statement extends Node {}

  /** A word of a command. */
  sealed interface Operand extends Node {}

  record Block(int at, List<Statement> nodes) implements Statement {
    @Override
    public String toString() {
      return nodes.stream().map(Node::toString).collect(Collectors.joining());
    }
  }

  record Text(int at, String text) implements Statement {
    @Override
    public String toString() {
      return text;
    }
  }

  record Action(int at, Pipe pipe) implements Statement {
    @Override
    public String toString() {
      return "{{" + pipe + "}}";
    }
  }

  record Pipe(int at, boolean assigns, List<Variable> declared, List<Command> commands)
      implements Operand {
    @Override
    public String toString() {
      String names = declared.stream().map(Variable::toString).collect(Collectors.joining(", "));
      return (declared.isEmpty() ? "" : names + (assigns ? " = " : " := "))
          + commands.stream().map(Command::toString).collect(Collectors.joining(" | "));
    }
  }

  record Command(int at, List<Operand> words) implements Node {
    @Override
    public String toString() {
      return words.stream()
          .map(word -> word instanceof Pipe pipe ? "(" + pipe + ")" : word.toString())
          .collect(Collectors.joining(" "));
    }
  }

  record Identifier(int at, String name) implements Operand {
    @Override
    public String toString() {
      return name;
    }
  }

  /** A variable with fields behind it. */
  record Variable(int at, List<String> names) implements Operand {
    @Override
    public String toString() {
      return String.join(".", names);
    }
  }

  record Dot(int at) implements Operand {
    @Override
    public String toString() {
      return ".";
    }
  }

  record Nil(int at) implements Operand {
    @Override
    public String toString() {
      return "nil";
    }
  }

  record Field(int at, List<String> names) implements Operand {
    @Override
    public String toString() {
      return "." + String.join(".", names);
    }
  }

  /** Fields of what an expression in parentheses, or another operand, is. */
  record Chain(int at, Operand of, List<String> names) implements Operand {
    @Override
    public String toString() {
      return (of instanceof Pipe ? "(" + of + ")" : of.toString()) + "." + String.join(".", names);
    }
  }

  record Bool(int at, boolean value) implements Operand {
    @Override
    public String toString() {
      return Boolean.toString(value);
    }
  }

  /**
   * @param value a {@link Long}, {@link Double} or {@link Values.Complex}; null for what overflows
   *     an int
   */
  record Number(int at, String text, Object value) implements Operand {
    @Override
    public String toString() {
      return text;
    }
  }

  record Str(int at, String quoted, String text) implements Operand {
    @Override
    public String toString() {
      return quoted;
    }
  }

  record End(int at) implements Statement {
    @Override
    public String toString() {
      return "{{end}}";
    }
  }

  record Else(int at) implements Statement {
    @Override
    public String toString() {
      return "{{else}}";
    }
  }

  record Break(int at) implements Statement {
    @Override
    public String toString() {
      return "{{break}}";
    }
  }

  record Continue(int at) implements Statement {
    @Override
    public String toString() {
      return "{{continue}}";
    }
  }

  /** What a branch does with the value of its pipeline. */
  enum Branching {
    IF,
    RANGE,
    WITH
  }

  /**
   * @param otherwise null if there is none
   */
  record Branch(int at, Branching kind, Pipe pipe, Block then, Block otherwise)
      implements Statement {
    @Override
    public String toString() {
      return "{{"
          + kind.name().toLowerCase(java.util.Locale.ROOT)
          + " "
          + pipe
          + "}}"
          + then
          + (otherwise == null ? "" : "{{else}}" + otherwise)
          + "{{end}}";
    }
  }

  /**
   * @param pipe null if there is none
   */
  record Invocation(int at, String name, Pipe pipe) implements Statement {
    @Override
    public String toString() {
      return "{{template " + Quoted.of(name) + (pipe == null ? "" : " " + pipe) + "}}";
    }
  }
}
