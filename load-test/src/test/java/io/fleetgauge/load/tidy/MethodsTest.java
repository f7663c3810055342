package io.fleetgauge.load.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The size of methods and constructors, in sources and tests. */
class MethodsTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final int MOST_LINES = 100;
  private static final int MOST_PARAMETERS = 8;

  private static final TreeMap<String, Size> SIZES = new TreeMap<>();

  /**
   * @param isOfRecord whether it is a constructor of a record, which has what the record has
   */
  private record Size(long lines, int parameters, boolean isOfRecord) {}

  @BeforeAll
  static void measure() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  problem -> {},
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources()));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree source : task.parse()) {
        new Measurement(source, positions).scan(source, null);
      }
    }
    assertThat(SIZES).hasSizeGreaterThan(10_000);
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.filter(each -> Files.exists(each.resolve("pom.xml"))).toList()) {
        Path top = module.resolve("src");
        try (Stream<Path> files = Files.isDirectory(top) ? Files.walk(top) : Stream.empty()) {
          files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
        }
      }
    }
    assertThat(sources).hasSizeGreaterThan(300);
    return sources;
  }

  /** Measures the methods of one source. */
  private static final class Measurement extends TreeScanner<Void, ClassTree> {
    private final CompilationUnitTree source;
    private final SourcePositions positions;

    Measurement(CompilationUnitTree source, SourcePositions positions) {
      this.source = source;
      this.positions = positions;
    }

    @Override
    public Void visitClass(ClassTree type, ClassTree outer) {
      return super.visitClass(type, type);
    }

    @Override
    public Void visitMethod(MethodTree method, ClassTree type) {
      LineMap lines = source.getLineMap();
      long first = lines.getLineNumber(positions.getStartPosition(source, method));
      long last = lines.getLineNumber(positions.getEndPosition(source, method));
      boolean isConstructor = method.getName().contentEquals("<init>");
      SIZES.put(
          "%s.%s in %s:%d"
              .formatted(
                  type.getSimpleName(),
                  isConstructor ? "new" : method.getName(),
                  ROOT.relativize(Path.of(source.getSourceFile().getName())),
                  first),
          new Size(
              last - first + 1,
              method.getParameters().size(),
              isConstructor && type.getKind() == Tree.Kind.RECORD));
      return super.visitMethod(method, type);
    }
  }

  @Test
  void noMethodHasMoreThanAHundredLines() {
    List<String> found =
        SIZES.entrySet().stream()
            .filter(each -> each.getValue().lines > MOST_LINES)
            .map(each -> each.getKey() + " has " + each.getValue().lines + " lines")
            .toList();
    assertThat(found).isEmpty();
  }

  @Test
  void nothingButARecordHasMoreThanEightParameters() {
    List<String> found =
        SIZES.entrySet().stream()
            .filter(each -> each.getValue().parameters > MOST_PARAMETERS)
            .filter(each -> !each.getValue().isOfRecord)
            .map(each -> each.getKey() + " has " + each.getValue().parameters + " parameters")
            .toList();
    assertThat(found).isEmpty();
  }
}
