package io.fleetgauge.load.docs;

import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.runtime.tenant.TenantList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The reference page of all configuration keys, written from the keys themselves. */
final class ConfigurationPage {
  /** As .editorconfig says of Markdown. */
  private static final int WIDTH = 120;

  private static final String HEAD =
      """
      # Configuration

      <!-- Written from the keys by ConfigurationPageTest; do not edit it by hand. -->

      Each process reads one YAML file, given with `--config FILE`. Every key has a default, so an empty file is valid.
      An unknown key, a wrong unit or a value out of range is an error; the process then lists all problems and stops.

      A dotted key such as `http.port` stands for nested maps:

      ```yaml
      http:
        port: 9500
      ```

      | type | how to write it |
      |---|---|
      | duration | an integer and `ms`, `s`, `m`, `h` or `d`, such as `15s` |
      | size | an integer and `B`, `KiB`, `MiB`, `GiB` or `TiB`, such as `64MiB` |
      | file | the path of a file that exists; files are read again when they change |
      | list | `[a, b]`, or one item a line |

      In any text, `${NAME}` is replaced by the environment variable `NAME`, and `${file:/path}` by the content of that
      file, without one trailing newline:

      ```yaml
      cluster:
        host: ${POD_IP}
      tokenFile: ${CREDENTIALS_DIRECTORY}/token
      ```

      They are replaced when the configuration is read, also in lists and labels; the replacement itself is not expanded
      again. An integer or a boolean may come from a placeholder too. A variable that is not set, or a file that cannot be
      read, is an error; messages never contain the contents of files. Write `$${` for a literal `${`. In relabeling
      rules nothing is replaced: `$1`, `${1}` and `${name}` are groups there.

      Words in capitals inside a key, such as `NAME`, are names that you choose.

      Keys are listed by their first part. Where a key, its default or its meaning differs between processes, the
      processes are in brackets.
      """;

  /** Where a key may stand, as the page names it, in its order. */
  private enum Reader {
    PROBE("probe", "Probe", "`fleetgauge probe` reads one node."),
    GATEWAY("gateway", "Gateway", "`fleetgauge gateway` stores the samples of its hosts."),
    QUERY("query API", "Query API", "`fleetgauge query` serves queries."),
    TENANTS(
        "tenants file",
        "Tenants file",
        "The file that `tenants.file` names; gateways and query APIs read it again when it"
            + " changes.");

    final String name;
    final String title;
    final String lead;

    Reader(String name, String title, String lead) {
      this.name = name;
      this.title = title;
      this.lead = lead;
    }

    List<Key<?>> keys() {
      return switch (this) {
        case PROBE -> ProbeConfig.keys();
        case GATEWAY -> GatewayConfig.keys();
        case QUERY -> QueryConfig.keys();
        case TENANTS -> TenantList.keys();
      };
    }
  }

  private static final Set<Reader> PROCESSES = Set.of(Reader.PROBE, Reader.GATEWAY, Reader.QUERY);

  /** Keys that stand in several sections, and are described once. */
  private enum Block {
    DISCOVERY(
        "discovery",
        List.of("discovery", "cluster.discovery", ALERTMANAGERS),
        "Keys of `discovery`, by which a probe finds gateways, of `cluster.discovery`, by which"
            + " gateways and query APIs find members of the cluster, and of `"
            + ALERTMANAGERS
            + "`, by which a query API finds Alertmanagers."),
    LIMITS(
        "limits",
        List.of(LIMITS_OF_ALL, "tenants.TENANT.limits"),
        "Keys of `"
            + LIMITS_OF_ALL
            + "` for each tenant, and of `tenants.TENANT.limits` in the tenants file for one. What"
            + " the latter lacks is as for each tenant.");

    final String name;
    final List<String> sections;
    final String lead;

    Block(String name, List<String> sections, String lead) {
      this.name = name;
      this.sections = sections;
      this.lead = lead;
    }

    /** The section that has this key; empty if the block has not. */
    String section(String key) {
      return sections.stream().filter(each -> key.startsWith(each + ".")).findFirst().orElse("");
    }
  }

  private static final String LIMITS_OF_ALL = "query.limits";
  private static final String ALERTMANAGERS = "rules.alertmanagers.NAME.discovery";

  /**
   * A key as one reader has it.
   *
   * @param where what tells it from the same key elsewhere
   */
  private record Use(String where, String type, String fallback, String meaning) {}

  private ConfigurationPage() {}

  static String text() {
    Map<String, Map<String, List<Use>>> blocks = new LinkedHashMap<>();
    Map<String, Map<String, List<Use>>> sections = new LinkedHashMap<>();
    Map<String, Set<Reader>> readers = new LinkedHashMap<>();
    for (Reader reader : Reader.values()) {
      for (Key<?> key : reader.keys()) {
        place(reader, key, blocks, sections);
        readers.computeIfAbsent(section(reader, key.name()), any -> new TreeSet<>()).add(reader);
      }
    }
    StringBuilder page = new StringBuilder(HEAD);
    page.append("\n## Common keys\n");
    for (String section : sections.keySet()) {
      if (isDescribed(sections.get(section)) && readers.get(section).size() > 1) {
        section(page, section, readers.get(section), sections.get(section));
      }
    }
    for (Block block : Block.values()) {
      page.append("\n### ").append(block.name).append("\n\n");
      wrap(page, "", block.lead);
      page.append('\n');
      items(page, blocks.get(block.name), new LinkedHashSet<>(block.sections));
    }
    for (Reader reader : Reader.values()) {
      page.append("\n## ").append(reader.title).append("\n\n").append(reader.lead).append('\n');
      for (String section : sections.keySet()) {
        if (isDescribed(sections.get(section)) && readers.get(section).equals(Set.of(reader))) {
          section(page, section, Set.of(reader), sections.get(section));
        }
      }
    }
    return page.toString();
  }

  private static boolean isDescribed(Map<String, List<Use>> keys) {
    return keys.values().stream().anyMatch(uses -> !uses.isEmpty());
  }

  /** Keys without a dot stand directly below the title of their reader. */
  private static String section(Reader reader, String key) {
    String first = key.contains(".") ? key.substring(0, key.indexOf('.')) : "";
    boolean isOwn = first.isEmpty() || reader == Reader.TENANTS;
    return isOwn ? reader.title : first;
  }

  private static void place(
      Reader reader,
      Key<?> key,
      Map<String, Map<String, List<Use>>> blocks,
      Map<String, Map<String, List<Use>>> sections) {
    String type = type(key.type());
    Map<String, List<Use>> own =
        sections.computeIfAbsent(section(reader, key.name()), any -> new LinkedHashMap<>());
    for (Block block : Block.values()) {
      String section = block.section(key.name());
      if (!section.isEmpty()) {
        String before = section.substring(0, section.length() - block.name.length());
        List<Use> uses =
            blocks
                .computeIfAbsent(block.name, any -> new LinkedHashMap<>())
                .computeIfAbsent(key.name().substring(before.length()), any -> new ArrayList<>());
        String fallback =
            before.isEmpty() ? key.fallbackText() : key.fallbackText().replace(section, block.name);
        boolean isThatOfAll = key.fallbackText().contains("`" + LIMITS_OF_ALL);
        uses.add(
            new Use(
                section, type, isThatOfAll ? uses.getFirst().fallback() : fallback, key.meaning()));
        own.put(section, List.of());
        return;
      }
    }
    own.computeIfAbsent(key.name(), any -> new ArrayList<>())
        .add(new Use(reader.name, type, key.fallbackText(), key.meaning()));
  }

  /** Most ranges are said after the type; some say the type themselves. */
  private static String type(KeyType<?> type) {
    String range = type.range();
    if (range.isEmpty()) {
      return type.name();
    }
    boolean saysType = range.matches("an? (readable )?" + Pattern.quote(type.name()) + "\\b.*");
    return saysType ? range : type.name() + ", " + range;
  }

  private static void section(
      StringBuilder page, String name, Set<Reader> readers, Map<String, List<Use>> keys) {
    boolean isOfAll = readers.containsAll(PROCESSES);
    boolean hasTitle = readers.stream().anyMatch(each -> each.title.equals(name));
    if (!hasTitle) {
      page.append("\n### ").append(name).append('\n');
    }
    page.append('\n');
    if (!hasTitle && readers.size() > 1 && !isOfAll) {
      String names = readers.stream().map(each -> each.name).collect(Collectors.joining(", "));
      page.append("Keys of ").append(names).append(".\n\n");
    }
    items(page, keys, readers.stream().map(each -> each.name).collect(Collectors.toSet()));
  }

  private static void items(StringBuilder page, Map<String, List<Use>> keys, Set<String> all) {
    keys.forEach(
        (name, uses) -> wrap(page, "- ", uses.isEmpty() ? link(name) : item(name, uses, all)));
  }

  private static String link(String section) {
    String block = section.substring(section.lastIndexOf('.') + 1);
    return "`" + section + "`: see [" + block + "](#" + block + ").";
  }

  private static String item(String name, List<Use> uses, Set<String> all) {
    Set<String> where = uses.stream().map(Use::where).collect(Collectors.toSet());
    String only = where.equals(all) ? "" : " (" + places(uses) + ")";
    return "`"
        + name
        + "`"
        + only
        + ": "
        + each(uses, Use::type, ", ")
        + "; default: "
        + each(uses, Use::fallback, ", ")
        + ". "
        + each(uses, Use::meaning, " ");
  }

  /** One text if all say the same, else each with its place. */
  private static String each(List<Use> uses, Function<Use, String> part, String separator) {
    Map<String, List<Use>> by =
        uses.stream().collect(Collectors.groupingBy(part, LinkedHashMap::new, Collectors.toList()));
    if (by.size() == 1) {
      return by.keySet().iterator().next();
    }
    return by.entrySet().stream()
        .map(said -> said.getKey() + " (" + places(said.getValue()) + ")")
        .collect(Collectors.joining(separator));
  }

  private static String places(List<Use> uses) {
    return uses.stream()
        .map(
            use ->
                use.where().contains(".") || use.where().equals("discovery")
                    ? "`" + use.where() + "`"
                    : use.where())
        .distinct()
        .collect(Collectors.joining(", "));
  }

  /** Writes a text in lines of at most {@link #WIDTH} characters. */
  private static void wrap(StringBuilder page, String mark, String item) {
    String line = mark;
    String between = "";
    for (String word : item.split(" ")) {
      if (line.length() + between.length() + word.length() > WIDTH) {
        page.append(line).append('\n');
        line = " ".repeat(mark.length());
        between = "";
      }
      line += between + word;
      between = " ";
    }
    page.append(line).append('\n');
  }
}
