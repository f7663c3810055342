package io.fleetgauge.sample.regexp;

import java.util.Arrays;

/**
 * A compiled expression. Immutable and safe for all threads.
 *
 * <p>All alternatives are followed at once, one character at a time (Pike's algorithm), so nothing
 * is looked at again.
 *
 * @see <a href="https://swtch.com/~rsc/regexp/regexp2.html">Cox, Regular Expression Matching: the
 *     Virtual Machine Approach</a>
 */
public final class Regexp {
  private final String text;
  private final Program program;

  private Regexp(String text, Program program) {
    this.text = text;
    this.program = program;
  }

  /**
   * @throws IllegalArgumentException if the text is not an expression; the message says why
   */
  public static Regexp compile(String text) {
    ExpressionParser parser = new ExpressionParser(text);
    Node tree = parser.parse();
    return new Regexp(text, Program.of(tree, parser.groupNames()));
  }

  /**
   * As Prometheus compiles the expressions of its rules: the whole text has to match, and a dot
   * matches every character.
   */
  public static Regexp anchored(String text) {
    return compile("^(?s:" + text + ")$");
  }

  /** Whether some part of a text matches. */
  public boolean finds(String in) {
    return find(in.codePoints().toArray(), 0, new int[2]) != null;
  }

  /**
   * The leftmost match.
   *
   * @return null if there is none
   */
  public Match match(String in) {
    return match(in.codePoints().toArray(), 0);
  }

  private Match match(int[] in, int from) {
    int[] bounds = find(in, from, new int[2 * program.groupNames().size()]);
    return bounds == null ? null : new Match(in, bounds, program.groupNames());
  }

  /** A text with every match replaced by a template, as in {@link Match#expand}. */
  public String replaceAll(String in, String template) {
    int[] points = in.codePoints().toArray();
    StringBuilder out = new StringBuilder();
    int copied = 0;
    int from = 0;
    while (from <= points.length) {
      Match match = match(points, from);
      if (match == null) {
        break;
      }
      out.append(new String(points, copied, match.start() - copied));
      // An empty match right behind the match before is none.
      if (match.end() > copied || match.start() == 0) {
        out.append(match.expand(template));
      }
      copied = match.end();
      from = match.end() > from ? match.end() : from + 1;
    }
    return out.append(new String(points, copied, points.length - copied)).toString();
  }

  /** Alternatives in order of preference: where each is in the program, and its groups. */
  private static final class Threads {
    final int[] at;
    final int[][] groups;
    final int[] place;
    int size;

    Threads(int length) {
      at = new int[length];
      groups = new int[length][];
      place = new int[length];
    }

    boolean add(int instruction) {
      int known = place[instruction];
      if (known < size && at[known] == instruction) {
        return false;
      }
      place[instruction] = size;
      at[size] = instruction;
      groups[size++] = null;
      return true;
    }
  }

  /** Instructions that are still to be followed, and the groups with which each is. */
  private static final class Pending {
    int[] at = new int[64];
    int[][] groups = new int[64][];
    int size;

    void push(int instruction, int[] bounds) {
      if (size == at.length) {
        at = Arrays.copyOf(at, 2 * size);
        groups = Arrays.copyOf(groups, 2 * size);
      }
      at[size] = instruction;
      groups[size++] = bounds;
    }
  }

  /**
   * @param bounds as long as those that are wanted
   */
  private int[] find(int[] in, int from, int[] bounds) {
    Threads now = new Threads(program.length());
    Threads next = new Threads(program.length());
    Pending pending = new Pending();
    int[] found = null;
    for (int i = from; i <= in.length; i++) {
      if (found == null) {
        int[] start = bounds.clone();
        Arrays.fill(start, -1);
        start[0] = i;
        follow(now, pending, 0, start, in, i);
      }
      if (now.size == 0 && (found != null || program.isAnchored())) {
        break;
      }
      next.size = 0;
      for (int t = 0; t < now.size; t++) {
        int at = now.at[t];
        if (program.op(at) == Program.MATCH) {
          found = now.groups[t].clone();
          found[1] = i;
          break; // what is behind is less preferred
        }
        if (program.op(at) == Program.CHARACTER
            && i < in.length
            && program.set(at).contains(in[i])) {
          follow(next, pending, at + 1, now.groups[t], in, i + 1);
        }
      }
      Threads swap = now;
      now = next;
      next = swap;
    }
    return found;
  }

  /** Adds all instructions that are reached without reading a character. */
  private void follow(
      Threads threads, Pending pending, int from, int[] with, int[] in, int position) {
    pending.push(from, with);
    while (pending.size > 0) {
      int at = pending.at[--pending.size];
      int[] groups = pending.groups[pending.size];
      if (!threads.add(at)) {
        continue;
      }
      switch (program.op(at)) {
        case Program.SPLIT -> {
          pending.push(program.second(at), groups);
          pending.push(program.first(at), groups);
        }
        case Program.JUMP -> pending.push(program.first(at), groups);
        case Program.GROUP -> {
          int slot = program.first(at);
          if (slot < groups.length) {
            groups = groups.clone();
            groups[slot] = position;
          }
          pending.push(at + 1, groups);
        }
        case Program.ASSERTION -> {
          if (Assertion.values()[program.first(at)].holds(in, position)) {
            pending.push(at + 1, groups);
          }
        }
        default -> threads.groups[threads.size - 1] = groups;
      }
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Regexp that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
