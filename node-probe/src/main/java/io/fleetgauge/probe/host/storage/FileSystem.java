package io.fleetgauge.probe.host.storage;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Filter;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Libc;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** node_exporter's collector {@code filesystem}. */
public final class FileSystem implements Collector {
  /** A call for one of these may block for as long as its server does not answer. */
  private static final Set<String> OF_NETWORK =
      Set.of(
          ("nfs nfs4 cifs smb3 smbfs ceph lustre glusterfs fuse.glusterfs fuse.sshfs fuse.s3fs"
                  + " fuse.ceph fuse.ceph-fuse gpfs beegfs wekafs 9p afs")
              .split(" "));

  private final Filter mountPoints;
  private final Filter types;
  private final NetworkMounts network;
  private final Metric size = metric("size_bytes");
  private final Metric free = metric("free_bytes");
  private final Metric available = metric("avail_bytes");
  private final Metric nodes = metric("files");
  private final Metric nodesFree = metric("files_free");
  private final Metric readOnly = metric("readonly");
  private final Metric error = metric("device_error");
  private final Metric info =
      new Metric("node_filesystem_mount_info", "device", "major", "minor", "mountpoint");
  private final Set<List<String>> seen = new HashSet<>();

  /**
   * @param mountPoints which mount points are read
   * @param types which types of file systems are read
   * @param network asks for the space of file systems of the network
   */
  public FileSystem(Filter mountPoints, Filter types, NetworkMounts network) {
    this.mountPoints = mountPoints;
    this.types = types;
    this.network = network;
  }

  private static Metric metric(String name) {
    return new Metric("node_filesystem_" + name, "device", "fstype", "mountpoint", "device_error");
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    seen.clear();
    KernelText text;
    try {
      // Process 1 has the node's mounts; this process may see those of its container only.
      text = files.proc("1/mountinfo");
    } catch (MissingSource e) {
      text = files.proc("self/mountinfo");
    }
    while (text.nextLine()) {
      Mount mount = Mount.of(text, files);
      if (mount == null) {
        text.damaged();
      } else if (mountPoints.takes(mount.point()) && types.takes(mount.type())) {
        read(files, out, mount);
      }
    }
  }

  private void read(NodeFiles files, CollectorReadings out, Mount mount) {
    String path = files.inRoot(mount.point());
    Libc.Space space = OF_NETWORK.contains(mount.type()) ? network.space(path) : Libc.space(path);
    if (space == null) {
      return; // it was asked for the first time
    }
    boolean isRead = space.error().isEmpty();
    // Of two mounts over each other the space is that of the upper one; both are told.
    if (isRead && seen.add(List.of(mount.device(), mount.major(), mount.minor(), mount.point()))) {
      out.add(info, 1, mount.device(), mount.major(), mount.minor(), mount.point());
    }
    if (!seen.add(List.of(mount.device(), mount.point(), mount.type()))) {
      return;
    }
    String[] labels = {mount.device(), mount.type(), mount.point(), space.error()};
    out.add(error, space.error().isEmpty() ? 0 : 1, labels);
    out.add(readOnly, mount.isReadOnly() ? 1 : 0, labels);
    if (isRead) {
      out.add(size, space.size(), labels);
      out.add(free, space.free(), labels);
      out.add(available, space.available(), labels);
      out.add(nodes, space.files(), labels);
      out.add(nodesFree, space.filesFree(), labels);
    }
  }
}
