package io.fleetgauge.distribution.image;

import com.github.packageurl.MalformedPackageURLException;
import com.github.packageurl.PackageURL;
import com.github.packageurl.PackageURLBuilder;
import io.fleetgauge.distribution.packages.BillOfMaterials;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import org.cyclonedx.Version;
import org.cyclonedx.exception.GeneratorException;
import org.cyclonedx.exception.ParseException;
import org.cyclonedx.generators.BomGeneratorFactory;
import org.cyclonedx.model.Bom;
import org.cyclonedx.model.Component;
import org.cyclonedx.model.Dependency;
import org.cyclonedx.model.Hash;
import org.cyclonedx.model.LicenseChoice;
import org.cyclonedx.model.Metadata;
import org.cyclonedx.model.license.Expression;
import org.cyclonedx.parsers.JsonParser;

/**
 * The contents of an image: those that the folder of the process lists of itself, and files of
 * Debian.
 */
final class Sbom {
  private static final String OWN_LICENCE = "Apache-2.0";

  private Sbom() {}

  /**
   * The list as CycloneDX 1.6 in JSON.
   *
   * @param home the folder of the process
   * @param id of the image
   * @param packages of Debian that files are of
   */
  static String json(
      ProcessKind kind,
      Path home,
      ProcessImage.Release release,
      String id,
      List<BasePackage> packages)
      throws IOException {
    try {
      Bom bom = new JsonParser().parse(home.resolve(BillOfMaterials.FILE).toFile());
      for (BasePackage each : packages) {
        bom.addComponent(of(each));
      }
      Component whole = whole(kind, release, id);
      Metadata metadata = new Metadata();
      metadata.setTimestamp(Date.from(release.time()));
      metadata.setComponent(whole);
      bom.setMetadata(metadata);
      bom.setSerialNumber(
          "urn:uuid:" + UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.US_ASCII)));
      Dependency uses = new Dependency(whole.getBomRef());
      bom.getComponents().forEach(each -> uses.addDependency(new Dependency(each.getBomRef())));
      bom.addDependency(uses);
      return BomGeneratorFactory.createJson(Version.VERSION_16, bom).toJsonString() + "\n";
    } catch (MalformedPackageURLException | GeneratorException | ParseException e) {
      throw new IOException("the list of contents of " + home + " cannot be made", e);
    }
  }

  private static Component whole(ProcessKind kind, ProcessImage.Release release, String id)
      throws MalformedPackageURLException {
    Component whole =
        component(
            Component.Type.CONTAINER,
            PackageURLBuilder.aPackageURL()
                .withType("oci")
                .withName(kind.image())
                .withVersion(id)
                .build(),
            OWN_LICENCE);
    whole.setVersion(release.version());
    whole.setDescription(kind.description);
    whole.addHash(new Hash(Hash.Algorithm.SHA_256, id.replace("sha256:", "")));
    return whole;
  }

  private static Component of(BasePackage from) throws MalformedPackageURLException {
    Component component =
        component(
            Component.Type.LIBRARY,
            PackageURLBuilder.aPackageURL()
                .withType("deb")
                .withNamespace("debian")
                .withName(from.name())
                .withVersion(from.version())
                .withQualifier("arch", from.architecture())
                .withQualifier("distro", "debian-13")
                .build(),
            from.licence());
    // The package as Debian has it; files were taken out of it unchanged.
    component.addHash(new Hash(Hash.Algorithm.SHA_256, from.sha256()));
    return component;
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
}
