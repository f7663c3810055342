package io.fleetgauge.load.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules that every source, document and pom keeps. */
class SourcesTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final int MOST_FILES = 20;
  private static final int MOST_LINES = 600;
  private static final int MOST_COLUMNS = 120;
  private static final int MOST_POM_LINES = 200;
  private static final int LEAST_WAIT_SECONDS = 60;

  /** Libraries that the project is built on, and the packages that show their use. */
  private static final Map<String, String> GIVEN_LIBRARIES =
      Map.of(
          "vertx-core", "io.vertx.core.",
          "vertx-web", "io.vertx.ext.web.",
          "vertx-web-client", "io.vertx.ext.web.client.",
          "vertx-hazelcast", "io.vertx.spi.cluster.hazelcast.",
          "hazelcast", "com.hazelcast.",
          "jnr-ffi", "jnr.ffi.",
          "caffeine", "com.github.benmanes.caffeine.",
          "vertx-junit5", "io.vertx.junit5.");

  @Test
  void aPackageOfManyFilesGivesItsReason() throws IOException {
    Map<Path, Integer> files = new TreeMap<>();
    for (Path source : sources()) {
      files.merge(source.getParent(), 1, Integer::sum);
    }
    assertThat(files).hasSizeGreaterThan(30);
    List<String> found = new ArrayList<>();
    for (Map.Entry<Path, Integer> each : files.entrySet()) {
      Path info = each.getKey().resolve("package-info.java");
      if (each.getValue() > MOST_FILES
          && !(Files.exists(info)
              && firstComment(Files.readAllLines(info)).contains(MOST_FILES + " files"))) {
        found.add(ROOT.relativize(each.getKey()) + " has " + each.getValue() + " files");
      }
    }
    assertThat(found)
        .as("split it by subject, or say in package-info why it has more than %d files", MOST_FILES)
        .isEmpty();
  }

  @Test
  void aLongFileGivesItsReasonInItsFirstComment() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path source : sources()) {
      List<String> lines = Files.readAllLines(source);
      if (lines.size() > MOST_LINES && !firstComment(lines).contains(MOST_LINES + " lines")) {
        found.add(ROOT.relativize(source) + " has " + lines.size() + " lines");
      }
    }
    assertThat(found)
        .as("split it, or say in its first comment why it has more than %d lines", MOST_LINES)
        .isEmpty();
  }

  private static String firstComment(List<String> lines) {
    String text = String.join(" ", lines);
    int start = text.indexOf("/**");
    return start < 0 ? "" : text.substring(start, text.indexOf("*/", start)).replace(" * ", "");
  }

  @Test
  void linesOfDocumentsAreWrappedButForCodeAndTables() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path document : files(ROOT, ".md")) {
      boolean code = false;
      int number = 0;
      for (String line : Files.readAllLines(document)) {
        number++;
        if (line.strip().startsWith("```")) {
          code = !code;
        }
        if (!code && !line.startsWith("|") && line.length() > MOST_COLUMNS) {
          found.add(ROOT.relativize(document) + ":" + number);
        }
      }
    }
    assertThat(found).as("lines of more than %d columns", MOST_COLUMNS).isEmpty();
  }

  @Test
  void fencesOfCodeInDocumentsHaveALineOfTheirOwn() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path document : files(ROOT, ".md")) {
      int number = 0;
      int fences = 0;
      for (String line : Files.readAllLines(document)) {
        number++;
        if (line.contains("```")) {
          fences++;
          if (!line.matches(fences % 2 == 1 ? " *```[a-z]*" : " *```")) {
            found.add(ROOT.relativize(document) + ":" + number);
          }
        }
      }
      assertThat(fences % 2).as("%s closes every fence", document).isZero();
    }
    assertThat(found).as("lines with a fence and something else").isEmpty();
  }

  @Test
  void theParentPomIsShort() throws IOException {
    assertThat(Files.readAllLines(ROOT.resolve("pom.xml"))).hasSizeLessThan(MOST_POM_LINES);
  }

  @Test
  void theGivenLibrariesAreUsed() throws IOException {
    StringBuilder imports = new StringBuilder();
    for (Path source : sources()) {
      for (String line : Files.readAllLines(source)) {
        if (line.startsWith("import ")) {
          imports.append(line).append('\n');
        }
      }
    }
    StringBuilder poms = new StringBuilder();
    for (Path pom : files(ROOT, "pom.xml")) {
      if (!pom.getParent().equals(ROOT)) {
        poms.append(Files.readString(pom));
      }
    }
    GIVEN_LIBRARIES.forEach(
        (artifact, packages) -> {
          assertThat(poms.toString()).contains("<artifactId>" + artifact + "</artifactId>");
          assertThat(imports.toString()).as(artifact).contains(packages);
        });
  }

  @Test
  void noTestSleeps() throws IOException {
    for (Path source : sources()) {
      if (source.toString().contains("/src/test/")
          && !source.getFileName().toString().equals("SourcesTest.java")) {
        assertThat(source).content().as("%s", source).doesNotContain("Thread.sleep");
      }
    }
  }

  /**
   * Events that must come come late on a busy machine; waiting does not prove that others never
   * come.
   */
  @Test
  void testsWaitForMinutesAndConcludeNothingFromTheTimeThatWentBy() throws IOException {
    Pattern wait =
        Pattern.compile(
            "\\b(?:await|get|poll|waitFor|orTimeout|awaitCompletion|awaitTermination)\\("
                + "(\\d+), (?:java\\.util\\.concurrent\\.)?TimeUnit\\.SECONDS\\)"
                + "|(?:\\.atMost\\(|assertTimeout\\w*\\(\\s*)Duration\\.ofSeconds\\((\\d+)\\)"
                + "|@Timeout\\((\\d+)\\)");
    Pattern measured =
        Pattern.compile(
            "nanoTime\\(\\) - \\w+\\)*(?: / [\\d_]+)?\\)\\s*\\.(?:as\\([^)]*\\)\\s*\\.)?isLess");
    List<String> found = new ArrayList<>();
    for (Path source : sources()) {
      String text = Files.readString(source);
      if (source.toString().contains("/src/test/")) {
        for (Matcher at = wait.matcher(text); at.find(); ) {
          String seconds =
              Stream.of(at.group(1), at.group(2), at.group(3))
                  .filter(Objects::nonNull)
                  .findFirst()
                  .orElseThrow();
          if (Integer.parseInt(seconds) < LEAST_WAIT_SECONDS) {
            found.add(ROOT.relativize(source) + " " + at.group());
          }
        }
        for (Matcher at = measured.matcher(text); at.find(); ) {
          found.add(ROOT.relativize(source) + " " + at.group());
        }
      }
    }
    assertThat(found)
        .as("waits of less than %d s, and measured times", LEAST_WAIT_SECONDS)
        .isEmpty();
  }

  /** A response whose body is asked for too late lacks some of it. */
  @Test
  void responsesOfOtherProcessesAreReadInOnePlace() throws IOException {
    Set<String> readers = new TreeSet<>();
    for (Path source : sources()) {
      if (source.toString().contains("/src/main/")
          && Files.readString(source).contains("HttpClientResponse")) {
        readers.add(source.getFileName().toString());
      }
    }
    assertThat(readers)
        .as("others use OutgoingRequest or WebRequests, which answer with the whole body")
        .containsExactly(
            "Docker.java", // over a Unix socket, with a limit of its own
            "GrpcConnection.java", // messages of a stream, not a body
            "OutgoingHttp.java",
            "OutgoingRequest.java",
            "ScrapeAttempt.java"); // reads a page while it arrives
  }

  /** One place knows certificates, limits, and which connections are kept. */
  @Test
  void clientsOfHttpAreMadeInOnePlace() throws IOException {
    Pattern maker =
        Pattern.compile(
            "httpClientBuilder\\(\\)|createHttpClient\\(|WebClient\\.(?:create|wrap)\\("
                + "|java\\.net\\.http\\.HttpClient;|java\\.net\\.HttpURLConnection;");
    Set<String> makers = new TreeSet<>();
    for (Path source : sources()) {
      String path = ROOT.relativize(source).toString();
      if (path.contains("/src/main/")
          && !path.startsWith("load-test/")
          && !path.startsWith("distribution/")
          && maker.matcher(Files.readString(source)).find()) {
        makers.add(source.getFileName().toString());
      }
    }
    assertThat(makers)
        .as("others ask HttpClients, WebRequests or OutgoingHttp")
        .containsExactly("HttpClients.java", "WebRequests.java");
  }

  /** Whoever attaches the second step from another thread may do so after the body has gone by. */
  @Test
  void noBodyIsAskedForInAStepAfterTheOneThatSends() throws IOException {
    String sends = "\\.send\\((?:[^()]|\\([^()]*\\))*\\)";
    Pattern late = Pattern.compile(sends + ";?[\\s}]*\\)\\s*\\.compose\\(\\s*response\\b");
    Set<String> found = new TreeSet<>();
    for (Path source : sources()) {
      if (late.matcher(Files.readString(source)).find()) {
        found.add(ROOT.relativize(source).toString());
      }
    }
    assertThat(found).as("compose within the step: request.send().compose(...)").isEmpty();
  }

  /**
   * A switch over a sealed family of ours lists its cases, so that a new case fails to compile
   * wherever it was forgotten. Found are switches that have both a {@code default} and a pattern of
   * a type that implements one of our sealed interfaces.
   */
  @Test
  void noSwitchOverASealedFamilyHasADefault() throws IOException {
    List<String> texts = new ArrayList<>();
    for (Path source : sources()) {
      if (source.toString().contains("/src/test/")) {
        continue;
      }
      texts.add(withoutComments(Files.readString(source)));
    }
    Set<String> members = membersOfSealedFamilies(texts);
    assertThat(members).hasSizeGreaterThan(50);
    TreeSet<String> found = new TreeSet<>();
    for (String text : texts) {
      Matcher at = Pattern.compile("\\bswitch \\(").matcher(text);
      while (at.find()) {
        String body = ownLevel(text, text.indexOf('{', at.end()));
        if (Pattern.compile("\\bdefault\\s*->").matcher(body).find()) {
          Matcher pattern =
              Pattern.compile("\\bcase (?:[A-Z]\\w*\\.)*([A-Z]\\w*)(?: [a-z_]\\w*\\b|\\()")
                  .matcher(body);
          while (pattern.find()) {
            if (members.contains(pattern.group(1))) {
              Matcher type =
                  Pattern.compile("(?:class|record|interface|enum) (\\w+)").matcher(text);
              String name = type.find() ? type.group(1) : "?";
              found.add(name + " switches over " + pattern.group(1));
            }
          }
        }
      }
    }
    assertThat(found).isEmpty();
  }

  private static Set<String> membersOfSealedFamilies(List<String> texts) {
    Set<String> families = new HashSet<>();
    for (String text : texts) {
      Matcher sealed = Pattern.compile("\\bsealed interface (\\w+)").matcher(text);
      while (sealed.find()) {
        families.add(sealed.group(1));
      }
    }
    Set<String> members = new HashSet<>();
    Pattern declared =
        Pattern.compile("\\b(?:record|class|enum|interface) (\\w+)[^{;]*?\\bimplements ([^{]*)");
    for (String text : texts) {
      Matcher type = declared.matcher(text);
      while (type.find()) {
        for (String implemented : type.group(2).split("[,\\s]+")) {
          if (families.contains(implemented.replaceFirst(".*\\.", "").replaceFirst("<.*", ""))) {
            members.add(type.group(1));
          }
        }
      }
    }
    return members;
  }

  /** The text between a brace and its counterpart, without what inner braces enclose. */
  private static String ownLevel(String text, int open) {
    StringBuilder own = new StringBuilder();
    int depth = 0;
    for (int i = open; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '{') {
        depth++;
      } else if (c == '}') {
        depth--;
        if (depth == 0) {
          break;
        }
      } else if (depth == 1) {
        own.append(c);
      }
    }
    return own.toString();
  }

  /** Without comments, and with empty strings and characters, so that braces are braces. */
  private static String withoutComments(String text) {
    return Pattern.compile(
            "\"\"\".*?\"\"\"|\"(?:[^\"\\\\\n"
                + "]|\\\\.)*\"|'(?:[^'\\\\\n"
                + "]|\\\\.)*'|//[^\n"
                + "]*|/\\*.*?\\*/",
            Pattern.DOTALL)
        .matcher(text)
        .replaceAll(found -> found.group().startsWith("/") ? " " : "\"\"");
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = files(ROOT, ".java");
    assertThat(sources).hasSizeGreaterThan(300);
    return sources;
  }

  private static List<Path> files(Path folder, String ending) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> file.toString().endsWith(ending))
          .filter(file -> Files.isRegularFile(file))
          .filter(file -> !ROOT.relativize(file).toString().matches("(.*/)?(target|\\..*)/.*"))
          .sorted()
          .toList();
    }
  }
}
