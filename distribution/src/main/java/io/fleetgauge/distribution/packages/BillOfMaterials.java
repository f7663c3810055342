package io.fleetgauge.distribution.packages;

import io.fleetgauge.distribution.process.ProcessFolder;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.cyclonedx.Version;
import org.cyclonedx.exception.GeneratorException;
import org.cyclonedx.generators.BomGeneratorFactory;
import org.cyclonedx.model.Bom;
import org.cyclonedx.model.Component;
import org.cyclonedx.model.Hash;
import org.cyclonedx.model.License;
import org.cyclonedx.model.LicenseChoice;
import org.cyclonedx.model.Metadata;
import org.cyclonedx.model.Property;
import org.cyclonedx.model.license.Expression;

/** Lists what folders of processes are made of. */
public final class BillOfMaterials {
  /** The name of the file in a folder. */
  public static final String FILE = "sbom.cdx.json";

  private static final String OUR_LICENCE = "Apache-2.0";
  private static final String LICENCE_OF_JDK = "GPL-2.0-only WITH Classpath-exception-2.0";

  private final String version;
  private final Instant time;
  private final Map<String, Coordinates> known;

  /**
   * @param version of Fleetgauge
   * @param time when its sources were written
   * @param repository the local repository of Maven
   * @param classPath jars of which the folders may have some
   */
  public BillOfMaterials(String version, Instant time, Path repository, List<Path> classPath) {
    this.version = version;
    this.time = time;
    this.known = Coordinates.of(repository, classPath);
  }

  /**
   * Writes the list.
   *
   * @param name of what is made of the folders
   */
  public void write(String name, Collection<ProcessFolder> folders, Path file)
      throws IOException, GeneralSecurityException {
    Map<String, Component> components = new TreeMap<>();
    for (ProcessFolder folder : folders) {
      Map<String, String> licences = licences(folder);
      for (Path jar : folder.jars()) {
        Component component = jar(jar, licences);
        components.put(component.getPurl(), component);
      }
      Component java = java(folder);
      components.merge(java.getPurl(), java, BillOfMaterials::withMoreModules);
    }
    Component whole = new Component();
    whole.setType(Component.Type.APPLICATION);
    whole.setName(name);
    whole.setVersion(version);
    whole.setBomRef(name);
    whole.setLicenses(licence(OUR_LICENCE));
    Metadata metadata = new Metadata();
    metadata.setTimestamp(Date.from(time));
    metadata.setComponent(whole);
    Bom bom = new Bom();
    bom.setMetadata(metadata);
    bom.setComponents(List.copyOf(components.values()));
    // A number that is the same for the same content.
    byte[] content = json(bom).getBytes(StandardCharsets.UTF_8);
    bom.setSerialNumber("urn:uuid:" + UUID.nameUUIDFromBytes(content));
    Files.writeString(file, json(bom) + "\n");
  }

  private static String json(Bom bom) throws IOException {
    try {
      return BomGeneratorFactory.createJson(Version.VERSION_16, bom).toJsonString();
    } catch (GeneratorException e) {
      throw new IOException("the bill of materials cannot be written", e);
    }
  }

  private static Map<String, String> licences(ProcessFolder folder) throws IOException {
    Map<String, String> licences = new HashMap<>();
    for (String line : Files.readAllLines(folder.home().resolve("licences/third-party.tsv"))) {
      if (!line.startsWith("#")) {
        String[] columns = line.split("\t");
        licences.put(columns[0], columns[1].split(" ")[0]);
      }
    }
    return licences;
  }

  private Component jar(Path jar, Map<String, String> licences)
      throws IOException, GeneralSecurityException {
    Coordinates of = Coordinates.of(jar.getFileName().toString(), known, version);
    Component component = new Component();
    component.setType(Component.Type.LIBRARY);
    component.setGroup(of.group());
    component.setName(of.artifact());
    component.setVersion(of.version());
    component.setPurl(of.purl());
    component.setBomRef(of.purl());
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar));
    component.setHashes(List.of(new Hash(Hash.Algorithm.SHA_256, HexFormat.of().formatHex(hash))));
    String licence = of.isOurs() ? OUR_LICENCE : licences.get(of.artifact());
    if (licence != null) {
      component.setLicenses(licence(licence));
    }
    return component;
  }

  private static LicenseChoice licence(String id) {
    License licence = new License();
    licence.setId(id);
    LicenseChoice choice = new LicenseChoice();
    choice.addLicense(licence);
    return choice;
  }

  private static Component java(ProcessFolder folder) throws IOException {
    Map<String, String> release = new HashMap<>();
    for (String line : Files.readAllLines(folder.home().resolve("runtime/release"))) {
      String[] parts = line.split("=", 2);
      release.put(parts[0], parts[1].replace("\"", ""));
    }
    String runtime = release.getOrDefault("JAVA_RUNTIME_VERSION", Runtime.version().toString());
    String version = release.get("JAVA_VERSION");
    Component component = new Component();
    component.setType(Component.Type.PLATFORM);
    component.setName("openjdk");
    component.setVersion(version);
    component.setPublisher(release.getOrDefault("IMPLEMENTOR", System.getProperty("java.vendor")));
    component.setCpe("cpe:2.3:a:oracle:openjdk:%s:*:*:*:*:*:*:*".formatted(version));
    component.setPurl("pkg:generic/openjdk@" + URLEncoder.encode(runtime, StandardCharsets.UTF_8));
    component.setBomRef(component.getPurl());
    LicenseChoice choice = new LicenseChoice();
    choice.setExpression(new Expression(LICENCE_OF_JDK));
    component.setLicenses(choice);
    component.setProperties(List.of(modules(release.get("MODULES"))));
    return component;
  }

  private static Property modules(String names) {
    Property property = new Property();
    property.setName("fleetgauge:jdk:modules");
    property.setValue(names);
    return property;
  }

  /** The modules of two images of one JDK. */
  private static Component withMoreModules(Component one, Component other) {
    String more = other.getProperties().getFirst().getValue();
    Property all = one.getProperties().getFirst();
    List<String> names = new ArrayList<>(List.of(all.getValue().split(" ")));
    for (String name : more.split(" ")) {
      if (!names.contains(name)) {
        names.add(name);
      }
    }
    one.setProperties(List.of(modules(String.join(" ", names.stream().sorted().toList()))));
    return one;
  }
}
