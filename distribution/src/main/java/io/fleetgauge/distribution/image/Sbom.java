package io.fleetgauge.distribution.image;

import com.github.packageurl.MalformedPackageURLException;
import com.github.packageurl.PackageURL;
import com.github.packageurl.PackageURLBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cyclonedx.Version;
import org.cyclonedx.exception.GeneratorException;
import org.cyclonedx.generators.BomGeneratorFactory;
import org.cyclonedx.model.Bom;
import org.cyclonedx.model.Component;
import org.cyclonedx.model.Dependency;
import org.cyclonedx.model.Hash;
import org.cyclonedx.model.LicenseChoice;
import org.cyclonedx.model.Metadata;
import org.cyclonedx.model.license.Expression;

/** What is in an image, as CycloneDX 1.6 has it: jars, the Java runtime, files of Debian. */
final class Sbom {
  private static final Pattern COORDINATES =
      Pattern.compile(
          "\\s*(?<group>[^\\s:]+):(?<artifact>[^:]+):jar:((?<classifier>[^:]+):)?(?<version>[^:]+):\\w+.*");

  private static final String OWN_GROUP = "io.fleetgauge";
  private static final String OWN_LICENCE = "Apache-2.0";
  private static final String JAVA_LICENCE = "GPL-2.0-only WITH Classpath-exception-2.0";

  private final LayeredFolder folder;
  private final ProcessImage.Release release;
  private final Map<String, PackageURLBuilder> coordinates = new HashMap<>();
  private final Map<String, String> licences = new HashMap<>();
  private final Bom bom = new Bom();
  private final Dependency uses;

  private Sbom(
      ProcessKind kind,
      LayeredFolder folder,
      ProcessImage.Release release,
      Digest image,
      List<String> artefacts)
      throws IOException, MalformedPackageURLException {
    this.folder = folder;
    this.release = release;
    for (String line : artefacts) {
      Matcher found = COORDINATES.matcher(line);
      if (found.matches()) {
        String classifier = found.group("classifier");
        String file = found.group("artifact") + "-" + found.group("version");
        coordinates.put(
            classifier == null ? file : file + "-" + classifier,
            maven(found.group("group"), found.group("artifact"), found.group("version")));
      }
    }
    for (String line : Files.readAllLines(folder.home.resolve("licences/third-party.tsv"))) {
      if (!line.startsWith("#")) {
        String[] column = line.split("\t");
        licences.put(column[0], column[1].replaceFirst(" \\(.*", ""));
      }
    }
    bom.setSerialNumber(
        "urn:uuid:" + UUID.nameUUIDFromBytes(image.hex().getBytes(StandardCharsets.US_ASCII)));
    Component whole =
        component(
            Component.Type.CONTAINER,
            PackageURLBuilder.aPackageURL()
                .withType("oci")
                .withName(kind.image())
                .withVersion(image.toString())
                .build(),
            OWN_LICENCE);
    whole.setName(kind.image());
    whole.setVersion(release.version());
    whole.setDescription(kind.description);
    whole.addHash(new Hash(Hash.Algorithm.SHA_256, image.hex()));
    Metadata metadata = new Metadata();
    metadata.setTimestamp(Date.from(release.time()));
    metadata.setComponent(whole);
    bom.setMetadata(metadata);
    uses = new Dependency(whole.getBomRef());
  }

  /**
   * The list in JSON.
   *
   * @param artefacts groups, names and versions of all jars that may be there, as Maven lists them
   * @param packages of Debian that files are of
   */
  static String json(
      ProcessKind kind,
      LayeredFolder folder,
      ProcessImage.Release release,
      Digest image,
      List<String> artefacts,
      List<DebianPackage> packages)
      throws IOException {
    try {
      Sbom list = new Sbom(kind, folder, release, image, artefacts);
      list.addJars();
      list.addRuntime();
      list.addPackages(packages);
      list.bom.addDependency(list.uses);
      return BomGeneratorFactory.createJson(Version.VERSION_16, list.bom).toJsonString() + "\n";
    } catch (MalformedPackageURLException | GeneratorException e) {
      throw new IOException("the list of contents of " + folder.home + " cannot be made", e);
    }
  }

  private void addJars() throws IOException, MalformedPackageURLException {
    for (Path jar : folder.jars()) {
      String name = jar.getFileName().toString().replaceFirst("\\.jar$", "");
      String artifact = name.replaceFirst("-\\d.*", "");
      PackageURLBuilder known = coordinates.get(name);
      String licence = licences.get(artifact);
      if (licence == null) {
        licence = OWN_LICENCE;
        known = maven(OWN_GROUP, artifact, release.version());
      }
      if (known == null) {
        throw new IOException(jar + " is not among the artefacts that Maven lists");
      }
      Component component = component(Component.Type.LIBRARY, known.build(), licence);
      component.addHash(new Hash(Hash.Algorithm.SHA_256, Digest.of(Files.readAllBytes(jar)).hex()));
      add(component);
    }
  }

  private static PackageURLBuilder maven(String group, String artifact, String version) {
    return PackageURLBuilder.aPackageURL()
        .withType("maven")
        .withNamespace(group)
        .withName(artifact)
        .withVersion(version)
        .withQualifier("type", "jar");
  }

  private void addRuntime() throws IOException, MalformedPackageURLException {
    Properties about = new Properties();
    try (var in = Files.newInputStream(folder.home.resolve("runtime/release"))) {
      about.load(in);
    }
    String version = about.getProperty("JAVA_VERSION", "").replace("\"", "");
    Component java =
        component(
            Component.Type.PLATFORM,
            PackageURLBuilder.aPackageURL()
                .withType("generic")
                .withName("openjdk")
                .withVersion(version)
                .build(),
            JAVA_LICENCE);
    java.setCpe("cpe:2.3:a:oracle:openjdk:" + version + ":*:*:*:*:*:*:*");
    java.setPublisher(about.getProperty("IMPLEMENTOR", "").replace("\"", ""));
    add(java);
  }

  private void addPackages(List<DebianPackage> packages) throws MalformedPackageURLException {
    for (DebianPackage each : packages) {
      Component component =
          component(
              Component.Type.LIBRARY,
              PackageURLBuilder.aPackageURL()
                  .withType("deb")
                  .withNamespace("debian")
                  .withName(each.name())
                  .withVersion(each.version())
                  .withQualifier("arch", each.architecture())
                  .withQualifier("distro", "debian-13")
                  .build(),
              each.licence());
      // Of the package as Debian has it; files were taken out of it unchanged.
      component.addHash(new Hash(Hash.Algorithm.SHA_256, each.sha256()));
      add(component);
    }
  }

  private static Component component(Component.Type type, PackageURL address, String licence) {
    Component component = new Component();
    component.setType(type);
    component.setGroup(address.getNamespace());
    component.setName(address.getName());
    component.setVersion(address.getVersion());
    component.setPurl(address);
    component.setBomRef(address.canonicalize());
    LicenseChoice choice = new LicenseChoice();
    choice.setExpression(new Expression(licence));
    component.setLicenses(choice);
    return component;
  }

  private void add(Component component) {
    bom.addComponent(component);
    uses.addDependency(new Dependency(component.getBomRef()));
  }
}
