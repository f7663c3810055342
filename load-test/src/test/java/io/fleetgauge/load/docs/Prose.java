package io.fleetgauge.load.docs;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A document in Markdown, taken apart.
 *
 * @param name path below the root
 * @param spans what stands between backticks
 * @param blocks lines of fenced and indented code
 * @param links targets of links and images
 * @param anchors what a link to a place in the document may name
 */
record Prose(
    Path file,
    String name,
    List<Piece> spans,
    List<Piece> blocks,
    List<Piece> links,
    Set<String> anchors) {
  static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));

  private static final Pattern FENCE = Pattern.compile(" *```.*");
  private static final Pattern INDENTED = Pattern.compile(" {4}\\S.*");
  private static final Pattern SPAN = Pattern.compile("`([^`]+)`");
  private static final Pattern LINK = Pattern.compile("\\]\\(<?([^)\\s>]+)>?\\)");
  private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?) *#*");

  /** A text and where it stands. */
  record Piece(String document, int line, String text) {
    @Override
    public String toString() {
      return document + ":" + line + ": " + text;
    }
  }

  /** All documents of the tree, by name. */
  static Map<String, Prose> all() throws IOException {
    Map<String, Prose> all = new TreeMap<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = folder.getFileName().toString();
            boolean isOurs = folder.equals(ROOT) || !name.equals("target") && !name.startsWith(".");
            return isOurs ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (file.toString().endsWith(".md")) {
              String name = ROOT.relativize(file).toString();
              all.put(name, read(file, name, Files.readString(file)));
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return all;
  }

  static Prose read(Path file, String name, String text) {
    List<Piece> blocks = new ArrayList<>();
    StringBuilder words = new StringBuilder();
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> headings = new HashMap<>();
    boolean isCode = false;
    String before = "";
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      boolean isFence = FENCE.matcher(line).matches();
      boolean isIndented =
          !isCode
              && INDENTED.matcher(line).matches()
              && (before.isBlank() || before.startsWith("    "));
      if (isFence) {
        isCode = !isCode;
      } else if (isCode || isIndented) {
        blocks.add(new Piece(name, number, line));
      } else {
        words.append(line);
        Matcher heading = HEADING.matcher(line);
        if (heading.matches()) {
          String anchor = anchor(heading.group(1));
          int times = headings.merge(anchor, 1, Integer::sum);
          anchors.add(times == 1 ? anchor : anchor + "-" + (times - 1));
        }
      }
      words.append('\n');
      before = line;
    }
    String prose = words.toString();
    return new Prose(
        file,
        name,
        pieces(name, prose, SPAN),
        blocks,
        pieces(
            name, SPAN.matcher(prose).replaceAll(span -> span.group().replaceAll(".", " ")), LINK),
        anchors);
  }

  private static List<Piece> pieces(String name, String text, Pattern pattern) {
    List<Piece> pieces = new ArrayList<>();
    Matcher found = pattern.matcher(text);
    int line = 1;
    int at = 0;
    while (found.find()) {
      line +=
          Math.toIntExact(text.substring(at, found.start()).chars().filter(c -> c == '\n').count());
      at = found.start();
      pieces.add(new Piece(name, line, found.group(1).replaceAll("\\s*\n\\s*", " ")));
    }
    return pieces;
  }

  /** As GitHub makes it of a heading. */
  private static String anchor(String heading) {
    return heading
        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N} _-]", "")
        .replace(' ', '-');
  }

  /** Items that begin with a code span, of a document that is written from the sources. */
  static Set<String> listed(String document, String prefix) throws IOException {
    Set<String> listed = new HashSet<>();
    Pattern item = Pattern.compile("(?m)^" + prefix + "`([^`]+)`");
    item.matcher(Files.readString(ROOT.resolve(document)))
        .results()
        .forEach(each -> listed.add(each.group(1)));
    return listed;
  }

  /** Matches of a pattern in code that nothing knows. */
  static List<String> unknown(List<Piece> code, Pattern pattern, Predicate<String> isKnown) {
    List<String> unknown = new ArrayList<>();
    for (Piece piece : code) {
      Matcher found = pattern.matcher(piece.text());
      while (found.find()) {
        if (!isKnown.test(found.group(1))) {
          unknown.add(new Piece(piece.document(), piece.line(), found.group(1)).toString());
        }
      }
    }
    return unknown;
  }
}
