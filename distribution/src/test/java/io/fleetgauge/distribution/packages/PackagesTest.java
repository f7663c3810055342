package io.fleetgauge.distribution.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.query.config.QueryConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Packages of small folders, as programs of the distributions read them. */
class PackagesTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final Instant TIME = Instant.parse("2026-02-03T04:05:06Z");
  private static final String VERSION = "0.1.0";

  /** Manual pages and completions that each folder has, whichever process it is of. */
  private static final List<String> PAGES =
      List.of(
          "fleetgauge",
          "fleetgauge-probe",
          "fleetgauge-gateway",
          "fleetgauge-gateway-drain",
          "fleetgauge-query");

  /** Exposure of a unit, from 0 to 10, that systemd computes from what it may do. */
  private static final double MOST_EXPOSURE = 2.5;

  @TempDir private static Path folder;
  private static final Map<PackagedProcess, List<Path>> MADE = new HashMap<>();

  @BeforeAll
  static void make() throws Exception {
    for (PackagedProcess process : PackagedProcess.values()) {
      MADE.put(
          process,
          Packages.make(
              processFolder("all", process), VERSION, TIME, TIME, folder.resolve("packages")));
    }
  }

  /** A launcher, a jar, a native library, pages and completions. */
  private static Path processFolder(String parent, PackagedProcess process) throws IOException {
    Path home = folder.resolve(parent).resolve(process.folder());
    Path launcher =
        write(home.resolve("bin/fleetgauge"), "#!/usr/bin/env bash\nexec echo \"$@\"\n");
    assertThat(launcher.toFile().setExecutable(true)).isTrue();
    write(home.resolve("lib/own.jar"), "a jar");
    write(home.resolve("native/libown.so"), "\0GLIBC_2.17\0GLIBC_2.34\0GLIBC_2.3.4\0");
    write(home.resolve("runtime/legal/java.base/LICENSE"), "a licence");
    Files.createDirectories(home.resolve("runtime/legal/java.xml"));
    Files.createSymbolicLink(
        home.resolve("runtime/legal/java.xml/LICENSE"), Path.of("../java.base/LICENSE"));
    write(home.resolve("etc/" + process.folder() + ".yaml"), "an: example\n");
    write(home.resolve("licences/third-party.tsv"), "own\tMIT\n");
    write(home.resolve("LICENSE"), "Apache\n");
    write(home.resolve("docs/configuration.md"), "# Configuration\n");
    if (process == PackagedProcess.QUERY) {
      write(home.resolve("dashboards/fleetgauge-gpu.json"), "{}");
    }
    for (String page : PAGES) {
      write(home.resolve("share/man/man1/" + page + ".1"), ".TH X 1\n.SH NAME\nx \\- y\n");
      write(
          home.resolve("share/bash-completion/completions/" + page),
          "complete -W x " + page + "\n");
    }
    try (Stream<Path> all = Files.walk(home)) {
      for (Path each : (Iterable<Path>) all::iterator) {
        if (!Files.isSymbolicLink(each)) {
          Files.setLastModifiedTime(each, FileTime.from(TIME));
        }
      }
    }
    return home;
  }

  private static Path write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private static Path deb(PackagedProcess process) {
    return MADE.get(process).get(0);
  }

  private static Path rpm(PackagedProcess process) {
    return MADE.get(process).get(1);
  }

  @ParameterizedTest
  @EnumSource(PackagedProcess.class)
  void theSameFolderVersionAndTimeGiveTheSameBytes(PackagedProcess process) throws Exception {
    List<Path> again =
        Packages.make(
            processFolder("again", process), VERSION, TIME, TIME, folder.resolve("packages-again"));
    for (int i = 0; i < again.size(); i++) {
      assertThat(again.get(i)).hasSameBinaryContentAs(MADE.get(process).get(i));
    }
  }

  @ParameterizedTest
  @EnumSource(PackagedProcess.class)
  void dpkgReadsThePackageOfDebian(PackagedProcess process) throws Exception {
    assumeThat(Commands.isPresent("dpkg-deb")).as("dpkg-deb is here").isTrue();
    String deb = deb(process).toString();
    assertThat(Commands.run("dpkg-deb", "--info", deb))
        .contains(
            "Package: fleetgauge-" + process.folder() + "\n",
            "Version: 0.1.0\n",
            "Depends: libc6 (>= 2.34), passwd\n");
    assertThat(Commands.run("dpkg-deb", "--info", deb, "conffiles"))
        .isEqualTo("/etc/fleetgauge/" + process.folder() + ".yaml\n");
    String home = "./usr/lib/fleetgauge/" + process.folder();
    assertThat(Commands.run("dpkg-deb", "--contents", deb).lines())
        .allMatch(line -> line.contains(" root/root "))
        .allMatch(line -> line.matches("(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x|lrwxrwxrwx) .*"))
        .anyMatch(line -> line.endsWith(" ." + documents(process) + "configuration.md"))
        .anyMatch(line -> line.matches("-rwxr-xr-x .* " + home + "/bin/fleetgauge"))
        .anyMatch(line -> line.endsWith("/java.xml/LICENSE -> ../java.base/LICENSE"))
        .noneMatch(line -> line.contains(home + "/etc/"));
    Path unpacked = folder.resolve("unpacked-" + process.folder());
    Commands.run("dpkg-deb", "--extract", deb, unpacked.toString());
    assertThat(Files.getLastModifiedTime(unpacked.resolve(home + "/lib/own.jar")).toInstant())
        .isEqualTo(TIME);
  }

  @Test
  void noFileIsInTwoPackages() throws Exception {
    assumeThat(Commands.isPresent("dpkg-deb")).as("dpkg-deb is here").isTrue();
    Set<String> seen = new HashSet<>();
    List<String> twice = new ArrayList<>();
    for (PackagedProcess process : PackagedProcess.values()) {
      Commands.run("dpkg-deb", "--contents", deb(process).toString())
          .lines()
          .filter(line -> line.startsWith("-"))
          .map(line -> line.replaceFirst(".* \\./", ""))
          .filter(file -> !seen.add(file))
          .forEach(twice::add);
    }
    assertThat(twice).isEmpty();
    assertThat(seen)
        .contains(
            "usr/share/man/man1/fleetgauge-gateway-drain.1.gz",
            "usr/share/bash-completion/completions/fleetgauge",
            "usr/share/fleetgauge/dashboards/fleetgauge-gpu.json",
            "usr/bin/fleetgauge",
            "usr/bin/fleetgauge-query");
  }

  @Test
  void systemdTakesTheUnitsAndFindsThemHardlyExposed() throws Exception {
    assumeThat(Commands.isPresent("systemd-analyze")).as("systemd-analyze is here").isTrue();
    Path root = folder.resolve("root");
    Path units = Files.createDirectories(root.resolve("usr/lib/systemd/system"));
    for (PackagedProcess process : PackagedProcess.values()) {
      Commands.run("dpkg-deb", "--extract", deb(process).toString(), root.toString());
    }
    for (String target : List.of("sysinit", "basic", "multi-user", "shutdown", "network-online")) {
      Files.writeString(units.resolve(target + ".target"), "[Unit]\nDescription=" + target + "\n");
    }
    for (PackagedProcess process : PackagedProcess.values()) {
      String unit = "fleetgauge-" + process.folder() + ".service";
      assertThat(
              Commands.run(
                  "systemd-analyze",
                  "verify",
                  "--man=no",
                  "--root=" + root,
                  units.resolve(unit).toString().substring(root.toString().length())))
          .isEmpty();
      String security =
          Commands.run(
              "systemd-analyze", "security", "--offline=yes", "--no-pager", "--root=" + root, unit);
      double exposure =
          Double.parseDouble(
              security.replaceAll("(?s).*Overall exposure level .*: ([\\d.]+) .*", "$1"));
      assertThat(exposure).as(security).isLessThanOrEqualTo(MOST_EXPOSURE);
      dropInsAreKnown(process, root);
    }
  }

  private void dropInsAreKnown(PackagedProcess process, Path root) throws Exception {
    String unit = "fleetgauge-" + process.folder() + ".service";
    for (String example : process.examples()) {
      Path file = root.resolve("usr/share/doc/" + process.packageName() + "/examples/" + example);
      if (!example.startsWith("60-")) {
        assertThat(file).content().contains("/etc/systemd/system/" + unit + ".d/" + example);
        Path copy = write(root.resolve("etc/systemd/system/" + unit + ".d/" + example), "");
        Files.write(copy, Files.readAllBytes(file));
        assertThat(
                Commands.run(
                    "systemd-analyze",
                    "verify",
                    "--man=no",
                    "--root=" + root,
                    "/usr/lib/systemd/system/" + unit))
            .as(example)
            .isEmpty();
        Files.delete(copy);
      }
    }
  }

  /** Where a package has the documents. */
  private static String documents(PackagedProcess process) {
    return "/usr/share/doc/" + process.packageName() + "/docs/";
  }

  @ParameterizedTest
  @EnumSource(PackagedProcess.class)
  void theConfigurationNamesDocumentsThatThePackageHas(PackagedProcess process) throws Exception {
    String text = resource(process.folder() + "/" + process.folder() + ".yaml");
    List<String> named =
        Pattern.compile("[/\\w-]+\\.md").matcher(text).results().map(MatchResult::group).toList();
    assertThat(named).contains(documents(process) + "configuration.md");
    for (String page : named) {
      assertThat(page).startsWith(documents(process));
      assertThat(ROOT.resolve("docs").resolve(page.substring(documents(process).length())))
          .exists();
    }
  }

  @Test
  void theConfigurationsAsInstalledFindEachOtherOnOneMachine() throws Exception {
    GatewayConfig gateway = GatewayConfig.read("gateway.yaml", configuration("gateway"));
    QueryConfig query = QueryConfig.read("query.yaml", configuration("query"));
    ProbeConfig probe = ProbeConfig.read("probe.yaml", configuration("probe"));
    String member = gateway.cluster().host() + ":" + gateway.cluster().port();
    assertThat(gateway.cluster().members()).containsExactly(member);
    assertThat(query.cluster().members()).containsExactly(member);
    assertThat(query.cluster().name()).isEqualTo(gateway.cluster().name());
    assertThat(query.cluster().port()).isNotEqualTo(gateway.cluster().port());
    assertThat(probe.gateways().toString())
        .contains("127.0.0.1")
        .contains("" + gateway.http().port());
    for (String host : List.of(gateway.http().host(), query.http().host(), probe.http().host())) {
      assertThat(host).as("nobody is asked for a token").isEqualTo("127.0.0.1");
    }
    assertThat(gateway.store().folder()).startsWithRaw(Path.of("/var/lib/fleetgauge/gateway"));
    assertThat(probe.spool().folder().orElseThrow())
        .startsWithRaw(Path.of("/var/lib/fleetgauge/probe"));
  }

  @ParameterizedTest
  @EnumSource(PackagedProcess.class)
  void aGatewayHasTimeToDrainBeforeItIsKilled(PackagedProcess process) throws Exception {
    String unit = resource(process.folder() + "/" + process.packageName() + ".service");
    long stop = Long.parseLong(unit.replaceAll("(?s).*\nTimeoutStopSec=(\\d+)s\n.*", "$1"));
    assertThat(stop).isGreaterThan(GatewayConfig.DEFAULT_DRAIN_TIMEOUT.toSeconds());
    assertThat(unit).contains("SuccessExitStatus=143", "Restart=on-failure");
  }

  @Test
  void aCandidateIsOlderThanItsRelease() throws Exception {
    String candidate = new Release("1.2.0-rc1", TIME, TIME).packageVersion();
    assertThat(candidate).isEqualTo("1.2.0~rc1");
    assumeThat(Commands.isPresent("dpkg")).as("dpkg is here").isTrue();
    Commands.run("dpkg", "--compare-versions", candidate, "lt", "1.2.0");
  }

  @Test
  void lintianHasNothingToSay() throws Exception {
    assumeThat(Commands.isPresent("lintian")).as("lintian is here").isTrue();
    // One of them: it takes seconds. PackagesInstallTest asks it about all, as they are built.
    assertThat(
            Commands.run(
                    "lintian",
                    "--allow-root",
                    "--fail-on=error,warning",
                    deb(PackagedProcess.QUERY).toString())
                .lines())
        .noneMatch(line -> line.matches("[EW]: .*"));
  }

  @ParameterizedTest
  @EnumSource(PackagedProcess.class)
  void rpmReadsThePackageOfRpm(PackagedProcess process) throws Exception {
    assumeThat(Commands.isPresent("rpm")).as("rpm is here").isTrue();
    String rpm = rpm(process).toString();
    assertThat(Commands.run("rpm", "-K", "--nosignature", rpm)).contains("digests OK");
    assertThat(
            Commands.run(
                "rpm",
                "-qp",
                "--qf",
                "%{NAME} %{VERSION} %{RELEASE} %{BUILDTIME} %{BUILDHOST}",
                rpm))
        .contains(
            "fleetgauge-" + process.folder() + " 0.1.0 1 " + TIME.getEpochSecond() + " localhost");
    assertThat(Commands.run("rpm", "-qp", "--configfiles", rpm))
        .contains("/etc/fleetgauge/" + process.folder() + ".yaml");
    assertThat(Commands.run("rpm", "-qp", "--requires", rpm)).contains("glibc >= 2.34", "systemd");
    assertThat(Commands.run("rpm", "-qp", "--scripts", rpm))
        .contains("preinstall", "postinstall", "preuninstall", "postuninstall", "posttrans");
    assertThat(Commands.run("rpm", "-qp", "--list", rpm).lines())
        .contains("/usr/bin/fleetgauge-" + process.folder())
        .doesNotContain("/usr", "/usr/bin", "/etc");
  }

  @Test
  void doctorOfTheQueryApisPackageRunsWithTheClassesOfTheProcessThatItLooksAt() throws Exception {
    Path installed = folder.resolve("usr-lib");
    for (String jar : List.of("query/lib/query-api-1.jar", "gateway/lib/shard-gateway-1.jar")) {
      Path home = installed.resolve(jar).getParent().getParent();
      write(installed.resolve(jar), "a jar");
      for (String program : List.of("bin/fleetgauge", "runtime/bin/java")) {
        write(home.resolve(program), "#!/usr/bin/env bash\nprintf '%s\\n' \"$@\"\n");
        assertThat(home.resolve(program).toFile().setExecutable(true)).isTrue();
      }
    }
    Path launcher = installed.resolve("query/bin/fleetgauge");
    Files.writeString(
        launcher, Files.readString(ROOT.resolve("distribution/src/main/bin/fleetgauge")));
    assertThat(Commands.run(launcher.toString(), "doctor", "gateway").lines())
        .contains(installed.resolve("gateway/lib/shard-gateway-1.jar").toString())
        .endsWith("doctor", "gateway");
    assertThat(Commands.run(launcher.toString(), "doctor", "query").lines())
        .contains(installed.resolve("query/lib/query-api-1.jar").toString());
  }

  @ParameterizedTest
  @EnumSource(PackagedProcess.class)
  void bothKindsUnpackToTheSameFiles(PackagedProcess process) throws Exception {
    assumeThat(Commands.isPresent("rpm2cpio") && Commands.isPresent("cpio"))
        .as("rpm2cpio and cpio are here")
        .isTrue();
    Path ofRpm = Files.createDirectories(folder.resolve("rpm-" + process.folder()));
    Path ofDeb = Files.createDirectories(folder.resolve("deb-" + process.folder()));
    Commands.run(
        "sh", "-c", "cd " + ofRpm + " && rpm2cpio " + rpm(process) + " | cpio -idm --quiet");
    Commands.run("dpkg-deb", "--extract", deb(process).toString(), ofDeb.toString());
    Commands.run(
        "diff",
        "-r",
        "--exclude=changelog.gz",
        "--exclude=lintian",
        ofRpm.toString(),
        ofDeb.toString());
  }

  @Test
  void whatIsNoFolderOfAProcessIsRefused() throws Exception {
    Path empty = Files.createDirectories(folder.resolve("empty/probe"));
    assertThatThrownBy(() -> Packages.make(empty, VERSION, TIME, TIME, folder))
        .hasMessageContaining("it has no bin/fleetgauge");
    Path unknown = Files.createDirectories(folder.resolve("empty/prober"));
    assertThatThrownBy(() -> Packages.make(unknown, VERSION, TIME, TIME, folder))
        .hasMessageContaining("prober is no process");
    Path probe = processFolder("late", PackagedProcess.PROBE);
    assertThatThrownBy(() -> Packages.make(probe, VERSION, TIME.plusSeconds(1), TIME, folder))
        .hasMessageContaining("is of 2026-02-03T04:05:06Z and not of 2026-02-03T04:05:07Z");
    assertThatThrownBy(() -> Packages.make(probe, "1.0 beta", TIME, TIME, folder))
        .hasMessageContaining("the version is 1.0 beta");
  }

  private static String configuration(String process) throws IOException {
    return resource(process + "/" + process + ".yaml");
  }

  private static String resource(String name) throws IOException {
    return Files.readString(
        ROOT.resolve(
            "distribution/src/main/resources/io/fleetgauge/distribution/packages/" + name));
  }
}
