package io.fleetgauge.probe.host.storage;

import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;

/** Procedures of NFS in the order in which the kernel counts them, under node_exporter's names. */
final class NfsProcedures {
  static final String[] V2 = {
    "Null", "GetAttr", "SetAttr", "Root", "Lookup", "ReadLink", "Read", "WrCache", "Write",
    "Create", "Remove", "Rename", "Link", "SymLink", "MkDir", "RmDir", "ReadDir", "FsStat"
  };
  static final String[] V3 = {
    "Null", "GetAttr", "SetAttr", "Lookup", "Access", "ReadLink", "Read", "Write", "Create",
    "MkDir", "SymLink", "MkNod", "Remove", "RmDir", "Rename", "Link", "ReadDir", "ReadDirPlus",
    "FsStat", "FsInfo", "PathConf", "Commit"
  };
  static final String[] CLIENT_V4 = {
    "Null",
    "Read",
    "Write",
    "Commit",
    "Open",
    "OpenConfirm",
    "OpenNoattr",
    "OpenDowngrade",
    "Close",
    "Setattr",
    "FsInfo",
    "Renew",
    "SetClientID",
    "SetClientIDConfirm",
    "Lock",
    "Lockt",
    "Locku",
    "Access",
    "Getattr",
    "Lookup",
    "LookupRoot",
    "Remove",
    "Rename",
    "Link",
    "Symlink",
    "Create",
    "Pathconf",
    "StatFs",
    "ReadLink",
    "ReadDir",
    "ServerCaps",
    "DelegReturn",
    "GetACL",
    "SetACL",
    "FsLocations",
    "ReleaseLockowner",
    "Secinfo",
    "FsidPresent",
    "ExchangeID",
    "CreateSession",
    "DestroySession",
    "Sequence",
    "GetLeaseTime",
    "ReclaimComplete",
    "LayoutGet",
    "GetDeviceInfo",
    "LayoutCommit",
    "LayoutReturn",
    "SecinfoNoName",
    "TestStateID",
    "FreeStateID",
    "GetDeviceList",
    "BindConnToSession",
    "DestroyClientID",
    "Seek",
    "Allocate",
    "DeAllocate",
    "LayoutStats",
    "Clone"
  };

  private NfsProcedures() {}

  /** Adds a line's counts, which follow their number; procedures that an old kernel lacks are 0. */
  static void read(
      CollectorReadings out, KernelText line, Metric metric, String version, String[] names) {
    double count = line.nextNumber();
    if (count != line.wordsLeft()) {
      line.damaged();
      return;
    }
    for (int i = 0; i < names.length; i++) {
      out.add(metric, i < count ? line.nextNumber() : 0, version, names[i]);
    }
  }
}
