package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** What has changed at a gateway. */
final class ChangesForm {
  private ChangesForm() {}

  static void write(WireWriter out, Fragment.Since since) {
    out.u64(since.incarnation()).uvar(since.cursor());
  }

  static Fragment.Since since(WireReader in) throws WireException {
    return new Fragment.Since(in.u64("the incarnation"), in.uvar("the cursor"));
  }

  static void write(WireWriter out, FragmentAnswer.Changes changes) {
    out.u64(changes.incarnation()).uvar(changes.cursor()).svar(changes.watermark());
    out.uvar(changes.hosts().size());
    for (FragmentAnswer.Changed host : changes.hosts()) {
      out.string(host.host()).u8(host.all() ? 1 : 0).uvar(host.buckets().size());
      host.buckets().forEach(out::svar);
    }
  }

  static FragmentAnswer.Changes answer(WireReader in, long epoch, List<String> covered)
      throws WireException {
    long incarnation = in.u64("the incarnation");
    long cursor = in.uvar("the cursor");
    long watermark = in.svar("the watermark");
    int count = in.count(3, "hosts");
    List<FragmentAnswer.Changed> hosts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      String host = in.string("a host");
      boolean all = in.uint(1, "whether all has changed") == 1;
      int bucketCount = in.count(1, "buckets");
      List<Long> buckets = new ArrayList<>(bucketCount);
      for (int j = 0; j < bucketCount; j++) {
        buckets.add(in.svar("a bucket"));
      }
      hosts.add(new FragmentAnswer.Changed(host, all, buckets));
    }
    return new FragmentAnswer.Changes(epoch, covered, incarnation, cursor, watermark, hosts);
  }
}
