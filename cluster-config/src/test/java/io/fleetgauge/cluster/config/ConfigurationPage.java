package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.Key;
import io.fleetgauge.cluster.tenant.TenantList;
import java.util.List;

/** The reference page of all configuration keys, written from the keys themselves. */
final class ConfigurationPage {
  /** As .editorconfig says of Markdown. */
  private static final int WIDTH = 120;

  private static final String HEAD =
      """
      # Configuration

      <!-- Written from the keys in cluster-config by ConfigurationPageTest; do not edit it by hand. -->

      Each process reads one YAML file, given with `--config FILE`. Every key has a default, so an empty file is valid.
      An unknown key, a wrong unit or a value out of range is an error; the process then lists all problems and stops.

      A dotted key such as `http.port` stands for nested maps:

      ```yaml
      http:
        port: 9500
      ```

      | type | how to write it |
      |---|---|
      | duration | a whole number and `ms`, `s`, `m`, `h` or `d`, such as `15s` |
      | size | a whole number and `B`, `KiB`, `MiB`, `GiB` or `TiB`, such as `64MiB` |
      | file | the path of a file that exists; files are read again when they change |
      | list | `[a, b]`, or one item a line |

      In any text, `${NAME}` stands for the variable `NAME` of the environment, and `${file:/path}` for what is in that
      file, without one newline at its end:

      ```yaml
      cluster:
        host: ${POD_IP}
      tokenFile: ${CREDENTIALS_DIRECTORY}/token
      ```

      They are replaced when the configuration is read, in lists and labels too, and what replaces them is not searched
      again. A whole number or a boolean may be written so. A variable that is not set and a file that cannot be read are
      errors; contents of files are never shown in messages. Write `$${` for `${` itself. Rules of relabelling
      stay as they are: `$1`, `${1}` and `${name}` are groups there.

      Words in capitals inside a key, such as `NAME`, are names that you choose.
      """;

  private ConfigurationPage() {}

  static String text() {
    StringBuilder page = new StringBuilder(HEAD);
    section(page, "Probe", "`fleetgauge probe` reads one node.", ProbeConfig.keys());
    section(
        page,
        "Gateway",
        "`fleetgauge gateway` keeps the samples of its hosts.",
        GatewayConfig.keys());
    section(page, "Query API", "`fleetgauge query` answers queries.", QueryConfig.keys());
    section(
        page,
        "Tenants file",
        "The file that `tenants.file` names; gateways and query APIs read it again when it"
            + " changes.",
        TenantList.keys());
    return page.toString();
  }

  private static void section(StringBuilder page, String title, String lead, List<Key<?>> keys) {
    page.append("\n## ").append(title).append("\n\n").append(lead).append("\n\n");
    for (Key<?> key : keys) {
      StringBuilder item = new StringBuilder("`" + key.name() + "`: " + key.type().name());
      if (!key.type().range().isEmpty()) {
        item.append(", ").append(key.type().range());
      }
      item.append("; default: ").append(key.fallbackText()).append(". ").append(key.meaning());
      wrap(page, item.toString());
    }
  }

  /** Writes a list item in lines of at most {@link #WIDTH} characters. */
  private static void wrap(StringBuilder page, String item) {
    String line = "-";
    for (String word : item.split(" ")) {
      if (line.length() + 1 + word.length() > WIDTH) {
        page.append(line).append('\n');
        line = " ";
      }
      line += " " + word;
    }
    page.append(line).append('\n');
  }
}
