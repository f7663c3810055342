package io.fleetgauge.load.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links and paths in documents lead to what is in the tree. */
class LinksTest {
  private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

  /** A path that begins with a folder of the tree, without patterns and names to put in. */
  private static final Pattern PATH =
      Pattern.compile("(?:\\./)?([a-z0-9-]+(?:/[A-Za-z0-9_.-]+)+/?)");

  @Test
  void everyLinkLeadsToAFileOfTheTree() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Prose document : Prose.all().values()) {
      for (Prose.Piece link : document.links()) {
        if (!ELSEWHERE.matcher(link.text()).matches()
            && !Files.exists(target(document, link.text()))) {
          broken.add(link.toString());
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyAnchorIsAHeadingOfItsDocument() throws IOException {
    Map<String, Prose> documents = Prose.all();
    List<String> broken = new ArrayList<>();
    for (Prose document : documents.values()) {
      for (Prose.Piece link : document.links()) {
        int hash = link.text().indexOf('#');
        if (hash < 0 || ELSEWHERE.matcher(link.text()).matches()) {
          continue;
        }
        String name = Prose.ROOT.relativize(target(document, link.text())).toString();
        Prose other = documents.get(name);
        if (other == null || !other.anchors().contains(link.text().substring(hash + 1))) {
          broken.add(link.toString());
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyPathThatBeginsWithAFolderOfTheTreeExists() throws IOException {
    List<String> folders;
    try (Stream<Path> files = Files.list(Prose.ROOT)) {
      folders =
          files.filter(Files::isDirectory).map(each -> each.getFileName().toString()).toList();
    }
    List<String> missing = new ArrayList<>();
    for (Prose document : Prose.all().values()) {
      for (Prose.Piece span : document.spans()) {
        String path = span.text().replaceFirst("^\\./", "");
        boolean isOurs =
            PATH.matcher(path).matches()
                && folders.contains(path.substring(0, path.indexOf('/')))
                && !("/" + path).contains("/target");
        if (isOurs && !Files.exists(Prose.ROOT.resolve(path))) {
          missing.add(span.toString());
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  /** Every document can be found from the README. */
  @Test
  void everyDocumentIsLinkedFromAnother() throws IOException {
    Map<String, Prose> documents = Prose.all();
    List<String> orphans = new ArrayList<>(documents.keySet());
    orphans.remove("README.md");
    for (Prose document : documents.values()) {
      for (Prose.Piece link : document.links()) {
        if (!ELSEWHERE.matcher(link.text()).matches()) {
          String to = Prose.ROOT.relativize(target(document, link.text())).toString();
          if (!to.equals(document.name())) {
            orphans.remove(to);
          }
        }
      }
    }
    orphans.removeIf(name -> name.contains("/src/test/"));
    assertThat(orphans).as("documents to which nothing links").isEmpty();
  }

  private static Path target(Prose from, String link) {
    String path = link.replaceFirst("#.*", "");
    return path.isEmpty() ? from.file() : from.file().resolveSibling(path).normalize();
  }
}
