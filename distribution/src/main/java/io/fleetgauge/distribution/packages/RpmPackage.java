package io.fleetgauge.distribution.packages;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.eclipse.packager.rpm.FileFlags;
import org.eclipse.packager.rpm.RpmTag;
import org.eclipse.packager.rpm.RpmVersion;
import org.eclipse.packager.rpm.build.BuilderContext;
import org.eclipse.packager.rpm.build.BuilderOptions;
import org.eclipse.packager.rpm.build.FileInformation;
import org.eclipse.packager.rpm.build.RpmBuilder;
import org.eclipse.packager.rpm.coding.PayloadCoding;
import org.eclipse.packager.rpm.deps.RpmDependencyFlags;

/** A package of RPM distributions. */
final class RpmPackage {
  /** Folders of these names belong to the distribution's packages. */
  private static final Set<String> SHARED =
      Set.of(
          "/etc",
          "/usr",
          "/usr/bin",
          "/usr/lib",
          "/usr/lib/systemd",
          "/usr/lib/systemd/system",
          "/usr/lib/sysusers.d",
          "/usr/lib/tmpfiles.d",
          "/usr/share",
          "/usr/share/bash-completion",
          "/usr/share/bash-completion/completions",
          "/usr/share/doc",
          "/usr/share/man",
          "/usr/share/man/man1");

  private final Contents contents;

  private RpmPackage(Contents contents) {
    this.contents = contents;
  }

  /** Writes the package into a folder. */
  static Path write(Contents contents, Path folder) throws IOException {
    return new RpmPackage(contents).writeTo(folder);
  }

  private Path writeTo(Path folder) throws IOException {
    PackagedProcess process = contents.process();
    Release release = contents.release();
    RpmVersion version = new RpmVersion(release.packageVersion(), "1");
    Path file =
        folder.resolve(
            process.packageName() + "-" + version + "." + Release.rpmArchitecture() + ".rpm");
    BuilderOptions options = new BuilderOptions();
    options.setOpenOptions(
        new StandardOpenOption[] {
          StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING
        });
    options.setPayloadCoding(PayloadCoding.GZIP);
    try (RpmBuilder builder =
        new RpmBuilder(process.packageName(), version, Release.rpmArchitecture(), file, options)) {
      describe(builder.getInformation());
      builder.setHeaderCustomizer(
          header -> header.putInt(RpmTag.BUILDTIME, (int) release.built().getEpochSecond()));
      builder.addRequirement(
          "glibc", contents.glibc(), RpmDependencyFlags.GREATER, RpmDependencyFlags.EQUAL);
      builder.addRequirement("bash", "");
      builder.addRequirement("systemd", "");
      builder.setPreInstallationScript(contents.text("rpm/pre"));
      builder.setPostInstallationScript(contents.text("rpm/post"));
      builder.setPreRemoveScript(contents.text("rpm/preun"));
      builder.setPostRemoveScript(contents.text("rpm/postun"));
      builder.setPostTransactionScript(contents.text("rpm/posttrans"));
      BuilderContext in = builder.newContext();
      for (Entry entry : contents.entries()) {
        put(in, entry);
      }
      builder.build();
    }
    return file;
  }

  private void describe(RpmBuilder.PackageInformation information) {
    PackagedProcess process = contents.process();
    information.setSummary("Metrics of large GPU fleets, " + process.summary());
    information.setDescription(process.description());
    information.setLicense("Apache-2.0 AND GPL-2.0-only WITH Classpath-exception-2.0");
    information.setPackager(Release.MAINTAINER);
    information.setVendor("Fleetgauge");
    information.setGroup("Applications/System");
    // The name of the machine that builds it is nobody's business, and would change the bytes.
    information.setBuildHost("localhost");
  }

  private void put(BuilderContext in, Entry entry) throws IOException {
    switch (entry) {
      case Entry.Folder folder -> {
        if (!SHARED.contains(folder.path())) {
          in.addDirectory(folder.path(), (_, _, _) -> information(0755));
        }
      }
      case Entry.Link link ->
          in.addSymbolicLink(link.path(), link.target(), (_, _, _) -> information(0777));
      case Entry.File file ->
          in.addFile(
              file.path(),
              file.content().bytes(),
              (_, _, _) -> {
                FileInformation information = information(file.mode());
                if (file.isConfiguration()) {
                  information.setFileFlags(Set.of(FileFlags.CONFIGURATION, FileFlags.NOREPLACE));
                } else if (file.path().startsWith("/usr/share/doc/")) {
                  information.setFileFlags(Set.of(FileFlags.DOC));
                }
                return information;
              });
    }
  }

  private FileInformation information(int mode) {
    FileInformation information = new FileInformation();
    information.setTimestamp(contents.release().time());
    information.setUser("root");
    information.setGroup("root");
    information.setMode((short) mode);
    return information;
  }
}
