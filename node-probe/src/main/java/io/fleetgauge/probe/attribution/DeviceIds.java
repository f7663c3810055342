package io.fleetgauge.probe.attribution;

import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.GpuOwners;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which GPU a scheduler means. These forms are understood, each also with {@code ::N} behind it,
 * which numbers those that share a GPU:
 *
 * <pre>
 *   GPU-UUID                        a GPU
 *   MIG-UUID                        a MIG device (driver 470 and later)
 *   MIG-GPU-UUID/GI/CI              a MIG device (before)
 *   nvidiaN, nvidiaN/giI            by the number of the device file, with a GPU instance
 *   nvidiaN/vgpuV, nvidiaN/giI/vgpuV, each numbering those that share it
 *   N                               index of the GPU
 *   gpu-N                           a device of DRA, numbered by device file or by index
 *   gpu-N-mig-...                   a MIG device of DRA, when it can only be one
 *   VENDOR/CLASS=ID                 a CDI device with one of the ids above, also at its end, as
 *                                   in k8s.gpu.nvidia.com/claim=CLAIM-gpu-0
 * </pre>
 *
 * Drivers of DRA have numbered GPUs by index in some versions and by device file in others; the
 * UUID is known to the API server only. A number that means two GPUs means none.
 *
 * @param gpus the GPUs of the node
 */
public record DeviceIds(List<GpuIdentity> gpus) {
  private static final int MOST_DIGITS = 6;
  private static final Pattern OLD_MIG = Pattern.compile("MIG-(GPU-[^/]+)/(\\d+)/(\\d+)");
  private static final Pattern FILE = Pattern.compile("nvidia(\\d+)(?:/gi(\\d+))?(?:/vgpu\\d+)?");
  private static final Pattern SHARE = Pattern.compile("::[0-9]+$");
  private static final Pattern CDI = Pattern.compile("[a-z0-9.-]+/[A-Za-z0-9_.-]+=(.+)");
  private static final Pattern OF_CLAIM = Pattern.compile(".*-(gpu-\\d+(?:-mig-.+)?)");
  private static final Pattern DYNAMIC = Pattern.compile("gpu-(\\d+)(?:-mig-(.+))?");
  private static final Pattern PROFILE = Pattern.compile("(\\d+g)\\.?(\\d+gb).*");

  /** The GPU or MIG instance of an id; empty when the node has none like it. */
  public Optional<GpuOwners.Gpu> find(String id) {
    Matcher cdi = CDI.matcher(id);
    if (cdi.matches()) {
      Matcher ofClaim = OF_CLAIM.matcher(cdi.group(1));
      return findPlain(ofClaim.matches() ? ofClaim.group(1) : cdi.group(1));
    }
    return findPlain(id);
  }

  private Optional<GpuOwners.Gpu> findPlain(String id) {
    String device = SHARE.matcher(id).replaceFirst("");
    Matcher dynamic = DYNAMIC.matcher(device);
    if (dynamic.matches()) {
      Optional<GpuIdentity> gpu = number(dynamic.group(1)).flatMap(this::byMinorAndIndex);
      return dynamic.group(2) == null
          ? gpu.map(DeviceIds::whole)
          : gpu.flatMap(of -> onlyInstance(of, dynamic.group(2)));
    }
    Matcher oldMig = OLD_MIG.matcher(device);
    if (oldMig.matches()) {
      return byUuid(oldMig.group(1)).flatMap(gpu -> instance(gpu, oldMig.group(2)));
    }
    Matcher file = FILE.matcher(device);
    if (file.matches()) {
      Optional<GpuIdentity> gpu = number(file.group(1)).flatMap(this::byMinor);
      return file.group(2) == null
          ? gpu.map(DeviceIds::whole)
          : gpu.flatMap(of -> instance(of, file.group(2)));
    }
    if (device.startsWith("MIG-")) {
      return byMigUuid(device);
    }
    if (!device.isEmpty() && Character.isDigit(device.charAt(0))) {
      return number(device).flatMap(this::byIndex).map(DeviceIds::whole);
    }
    return byUuid(device).map(DeviceIds::whole);
  }

  /** A GPU by its index, as NVML counts. */
  public Optional<GpuIdentity> byIndex(int index) {
    String wanted = Integer.toString(index);
    return gpus.stream().filter(gpu -> gpu.labels().value("gpu").equals(wanted)).findFirst();
  }

  /** A GPU by the number of its device file; by its index where the driver tells no number. */
  public Optional<GpuIdentity> byMinor(int minor) {
    Optional<GpuIdentity> found = gpus.stream().filter(gpu -> gpu.minor() == minor).findFirst();
    boolean tells = gpus.stream().anyMatch(gpu -> gpu.minor() >= 0);
    return found.isPresent() || tells ? found : byIndex(minor);
  }

  /** A GPU instance of a GPU; empty when it has none with this id. */
  public static Optional<GpuOwners.Gpu> instance(GpuIdentity gpu, String id) {
    return gpu.instances().stream()
        .map(instance -> GpuOwners.Gpu.of(instance.labels()))
        .filter(of -> of.instance().equals(id))
        .findFirst();
  }

  private Optional<GpuIdentity> byMinorAndIndex(int number) {
    return byMinor(number).filter(gpu -> byIndex(number).filter(gpu::equals).isPresent());
  }

  /**
   * The instance that a DRA driver means by a profile and a place on the GPU. The probe does not
   * read places, so it is found only where no other instance has the profile.
   */
  private static Optional<GpuOwners.Gpu> onlyInstance(GpuIdentity gpu, String profileAndPlace) {
    String profile = shortProfile(profileAndPlace);
    List<GpuOwners.Gpu> fitting =
        gpu.instances().stream()
            .filter(
                instance ->
                    profile.isEmpty()
                        || profile.equals(shortProfile(instance.labels().value("GPU_I_PROFILE"))))
            .map(instance -> GpuOwners.Gpu.of(instance.labels()))
            .distinct()
            .toList();
    return fitting.size() == 1 ? Optional.of(fitting.getFirst()) : Optional.empty();
  }

  /** As names of devices have it: 1g10gb; empty for a number. */
  private static String shortProfile(String text) {
    Matcher profile = PROFILE.matcher(text);
    return profile.matches() ? profile.group(1) + profile.group(2) : "";
  }

  private Optional<GpuIdentity> byUuid(String uuid) {
    return gpus.stream().filter(gpu -> gpu.uuid().equals(uuid)).findFirst();
  }

  private Optional<GpuOwners.Gpu> byMigUuid(String uuid) {
    return gpus.stream()
        .flatMap(gpu -> gpu.instances().stream())
        .filter(instance -> instance.uuid().equals(uuid))
        .map(instance -> GpuOwners.Gpu.of(instance.labels()))
        .findFirst();
  }

  private static GpuOwners.Gpu whole(GpuIdentity gpu) {
    return GpuOwners.Gpu.whole(gpu.uuid());
  }

  private static Optional<Integer> number(String digits) {
    boolean isNumber =
        digits.length() <= MOST_DIGITS && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    return isNumber ? Optional.of(Integer.parseInt(digits)) : Optional.empty();
  }
}
