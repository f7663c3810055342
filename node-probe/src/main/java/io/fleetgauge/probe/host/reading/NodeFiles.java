package io.fleetgauge.probe.host.reading;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** Files of the node below its mounted proc, sys and root. Not for several threads. */
public final class NodeFiles {
  private static final String[] NONE = {};

  private final String proc;
  private final String sys;
  private final String root;
  private final Faults faults;
  private final KernelText text;
  private final KernelText value;

  /**
   * @param root the root of the node's file systems
   * @param faults counts what could not be understood
   */
  public NodeFiles(Path proc, Path sys, Path root, Faults faults) {
    this.proc = proc.toString();
    this.sys = sys.toString();
    this.root = root.toString().equals("/") ? "" : root.toString();
    this.faults = faults;
    Names names = new Names();
    text = new KernelText(names, faults);
    value = new KernelText(names, faults);
  }

  /** A file below proc. */
  public String inProc(String file) {
    return proc + "/" + file;
  }

  /** A file below sys. */
  public String inSys(String file) {
    return sys + "/" + file;
  }

  /** A file of the node's own root, such as {@code /etc/os-release}. */
  public String inRoot(String file) {
    return root + file;
  }

  /** A path of the node as this process's mounts show it, without the root that it has here. */
  public String withoutRoot(String path) {
    if (root.isEmpty() || !path.startsWith(root)) {
      return path;
    }
    String rest = path.substring(root.length());
    return rest.isEmpty() ? "/" : rest.startsWith("/") ? rest : path;
  }

  /**
   * The text of a file below proc, until the next call.
   *
   * @throws MissingSource if there is none
   */
  public KernelText proc(String file) throws IOException {
    return text(inProc(file));
  }

  /** As {@link #proc}, of any file. */
  public KernelText text(String path) throws IOException {
    text.load(path);
    return text;
  }

  /**
   * The number that a file begins with, in decimal or behind 0x in hexadecimal digits; NaN if there
   * is no such file or it says none. Drivers fail the reading of an attribute that does not apply,
   * which is absence too.
   */
  public double number(String path) {
    if (!one(path) || !value.nextWord() || value.wordStartsWith("N/A")) {
      return Double.NaN;
    }
    return value.wordStartsWith("0x") ? value.hex() : value.number();
  }

  /** The text of a file of one line, without blanks around it; null if there is no such file. */
  public String line(String path) {
    try {
      value.load(path);
    } catch (IOException e) {
      return null;
    }
    value.onlyLine();
    return value.rest();
  }

  /** As {@link #line}; the empty string if there is no such file. */
  public String lineOrEmpty(String path) {
    String line = line(path);
    return line == null ? "" : line;
  }

  /**
   * A small file beside one that {@link #proc} gave, in its one line; null if there is none.
   *
   * @return valid until the next call of a method of this object but {@link #proc}
   */
  public KernelText small(String path) {
    try {
      value.load(path);
      return value;
    } catch (IOException e) {
      return null;
    }
  }

  private boolean one(String path) {
    try {
      value.load(path);
      return value.onlyLine();
    } catch (IOException e) {
      return false;
    }
  }

  /** Names in a folder in order; none if there is no such folder. */
  public String[] list(String path) {
    String[] names = new File(path).list();
    if (names == null) {
      return NONE;
    }
    Arrays.sort(names);
    return names;
  }

  /**
   * As {@link #list}.
   *
   * @throws MissingSource if there is no such folder
   */
  public String[] listed(String path) throws MissingSource {
    String[] names = new File(path).list();
    if (names == null) {
      throw new MissingSource(path);
    }
    Arrays.sort(names);
    return names;
  }

  public boolean isThere(String path) {
    return new File(path).exists();
  }

  /**
   * Counts something that could not be understood.
   *
   * @param what which file, and what is wrong with it
   */
  public void damaged(String what) {
    faults.add(what);
  }
}
