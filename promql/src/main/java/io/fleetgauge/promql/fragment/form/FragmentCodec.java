package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentRequest;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Fragments and their answers as bytes. The package's description draws them; each kind has a class
 * of its own.
 */
public final class FragmentCodec {
  /** 7: parts name the aliases that they use. 8: several reads are one request. */
  private static final int VERSION = 8;

  /** The oldest version that is read and written: that of the release before. */
  public static final int OLDEST = 6;

  private static final int ALIASES_SINCE = 7;
  private static final int SEVERAL_SINCE = 8;

  private static final int VERSION_AT = 2;
  private static final int KIND_AT = 3;

  /** Plays a release before this one: the newest version that this process knows. */
  private static final int NEWEST =
      Math.clamp(Integer.getInteger("fleetgauge.fragments.newest", VERSION), OLDEST, VERSION);

  private FragmentCodec() {}

  // --- versions ---

  /** The newest version that this process reads and writes. */
  public static int newest() {
    return NEWEST;
  }

  /** The version that bytes say they have; 0 if there are too few. */
  public static int version(byte[] bytes) {
    return bytes.length > VERSION_AT ? bytes[VERSION_AT] & 0xff : 0;
  }

  /** Whether a version can express a request. */
  public static boolean fits(FragmentRequest request, int version) {
    if (request.fragment() instanceof Fragment.Several) {
      return version >= SEVERAL_SINCE;
    }
    return version >= ALIASES_SINCE
        || !(request.fragment() instanceof Fragment.Parts parts)
        || parts.aliases().isEmpty();
  }

  // --- fragments ---

  /** In the newest version. */
  public static byte[] encode(FragmentRequest request) {
    return encode(request, NEWEST);
  }

  /**
   * @param version {@link #OLDEST} to {@link #newest}, which {@link #fits} the request
   */
  public static byte[] encode(FragmentRequest request, int version) {
    Fragment fragment = request.fragment();
    Load load = request.load();
    WireWriter out = new WireWriter();
    out.u8('F').u8('Q').u8(version).u8(kind(fragment).code);
    out.string(load.tenant()).uvar(load.weight()).uvar(load.work());
    out.uvar(fragment.epoch());
    ListForm.strings(out, fragment.hosts());
    what(out, fragment, version);
    return out.toBytes();
  }

  private static void what(WireWriter out, Fragment fragment, int version) {
    switch (fragment) {
      case Fragment.Samples samples -> SamplesForm.write(out, samples);
      case Fragment.LabelNames names -> LabelNamesForm.write(out, names);
      case Fragment.LabelValues values -> LabelValuesForm.write(out, values);
      case Fragment.LabelSets sets -> LabelSetsForm.write(out, sets);
      case Fragment.Owners owners -> OwnersForm.write(out, owners);
      case Fragment.Parts parts -> PartsForm.write(out, parts, version >= ALIASES_SINCE);
      case Fragment.Extent extent -> ExtentForm.write(out, extent);
      case Fragment.Changes changes -> ChangesForm.write(out, changes.since());
      case Fragment.Metadata metadata -> MetadataForm.write(out, metadata);
      case Fragment.Hosts hosts -> HostsForm.write(out, hosts);
      case Fragment.Newest newest -> NewestForm.write(out, newest);
      case Fragment.Reduced reduced -> ReducedForm.write(out, reduced);
      case Fragment.Several several -> {
        out.uvar(several.fragments().size());
        for (Fragment each : several.fragments()) {
          out.u8(kind(each).code);
          what(out, each, version);
        }
      }
    }
  }

  private static Kind kind(Fragment fragment) {
    return switch (fragment) {
      case Fragment.Samples samples -> Kind.SAMPLES;
      case Fragment.LabelNames names -> Kind.LABEL_NAMES;
      case Fragment.LabelValues values -> Kind.LABEL_VALUES;
      case Fragment.LabelSets sets -> Kind.LABEL_SETS;
      case Fragment.Owners owners -> Kind.OWNERS;
      case Fragment.Parts parts -> Kind.PARTS;
      case Fragment.Extent extent -> Kind.EXTENT;
      case Fragment.Changes changes -> Kind.CHANGES;
      case Fragment.Metadata metadata -> Kind.METADATA;
      case Fragment.Hosts hosts -> Kind.HOSTS;
      case Fragment.Newest newest -> Kind.NEWEST;
      case Fragment.Reduced reduced -> Kind.REDUCED;
      case Fragment.Several several -> Kind.SEVERAL;
    };
  }

  /** Whether the kind in encoded bytes is that of a question for changes. */
  public static boolean isChanges(byte[] bytes) {
    return bytes.length > KIND_AT && bytes[KIND_AT] == Kind.CHANGES.code;
  }

  public static FragmentRequest decodeRequest(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    Kind kind = header(in, 'Q');
    String tenant = in.string("the tenant");
    int weight = in.uint(Integer.MAX_VALUE, "the tenant's weight");
    if (weight < 1) {
      throw new WireException("the tenant's weight is 0");
    }
    Load load = new Load(tenant, weight, in.uvar("the work"));
    long epoch = in.uvar("the epoch");
    List<String> hosts = ListForm.strings(in, "hosts");
    Fragment fragment = question(kind, in, version(bytes), epoch, hosts);
    in.end("the fragment");
    return new FragmentRequest(load, fragment);
  }

  private static Fragment question(
      Kind kind, WireReader in, int version, long epoch, List<String> hosts) throws WireException {
    return switch (kind) {
      case SAMPLES -> SamplesForm.question(in, epoch, hosts);
      case LABEL_NAMES -> LabelNamesForm.question(in, epoch, hosts);
      case LABEL_VALUES -> LabelValuesForm.question(in, epoch, hosts);
      case LABEL_SETS -> LabelSetsForm.question(in, epoch, hosts);
      case OWNERS -> OwnersForm.question(in, epoch, hosts);
      case PARTS -> PartsForm.question(in, epoch, hosts, version >= ALIASES_SINCE);
      case EXTENT -> ExtentForm.question(in, epoch, hosts);
      case CHANGES -> new Fragment.Changes(epoch, hosts, ChangesForm.since(in));
      case METADATA -> MetadataForm.question(in, epoch, hosts);
      case HOSTS -> HostsForm.question(in, epoch, hosts);
      case NEWEST -> NewestForm.question(in, epoch, hosts);
      case REDUCED -> ReducedForm.question(in, epoch, hosts);
      case SEVERAL -> several(in, version, epoch, hosts);
      case UNFIT, REFUSED ->
          throw new WireException("the kind " + kind.code + " is of answers only");
    };
  }

  private static Fragment several(WireReader in, int version, long epoch, List<String> hosts)
      throws WireException {
    int count = in.count(2, "fragments");
    List<Fragment> fragments = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Kind kind = Kind.of(in.u8("the kind"));
      if (kind != Kind.SAMPLES && kind != Kind.PARTS) {
        throw new WireException("the kind " + kind.code + " is not one of several");
      }
      fragments.add(question(kind, in, version, epoch, hosts));
    }
    return new Fragment.Several(epoch, hosts, fragments);
  }

  // --- answers ---

  /** In the newest version. */
  public static byte[] encode(FragmentAnswer answer) {
    return encode(answer, NEWEST);
  }

  /**
   * @param version that of the request: whoever asks may not know a newer one
   */
  public static byte[] encode(FragmentAnswer answer, int version) {
    int lines = answer instanceof FragmentAnswer.Newest newest ? NewestForm.length(newest) : 0;
    int numbers = answer instanceof FragmentAnswer.Parts parts ? PartsForm.length(parts) : 0;
    WireWriter out = new WireWriter(4_096 + lines);
    // What follows the symbols, which are known when it is written.
    WireWriter body = new WireWriter(numbers);
    out.u8('F').u8('A').u8(version).u8(kind(answer).code);
    out.uvar(answer.epoch());
    ListForm.strings(out, answer.covered());
    what(out, body, answer);
    return out.toBytes(body);
  }

  private static void what(WireWriter out, WireWriter body, FragmentAnswer answer) {
    switch (answer) {
      case FragmentAnswer.Samples samples -> SamplesForm.write(out, body, samples);
      case FragmentAnswer.Strings strings -> LabelNamesForm.write(out, strings);
      case FragmentAnswer.LabelSets sets -> LabelSetsForm.write(out, body, sets);
      case FragmentAnswer.Owners owners -> OwnersForm.write(out, body, owners);
      case FragmentAnswer.Parts parts -> PartsForm.write(out, body, parts);
      case FragmentAnswer.Unfit unfit -> PartsForm.write(out, unfit);
      case FragmentAnswer.Extent extent -> ExtentForm.write(out, extent);
      case FragmentAnswer.Changes changes -> ChangesForm.write(out, changes);
      case FragmentAnswer.Metadata metadata -> MetadataForm.write(out, metadata);
      case FragmentAnswer.Hosts hosts -> HostsForm.write(out, hosts);
      case FragmentAnswer.Newest newest -> NewestForm.write(out, newest);
      case FragmentAnswer.Reduced reduced -> ReducedForm.write(out, body, reduced);
      case FragmentAnswer.Refused refused -> out.string(refused.reason());
      case FragmentAnswer.Several several -> several(out, several);
    }
  }

  private static void several(WireWriter out, FragmentAnswer.Several several) {
    out.uvar(several.answers().size());
    for (FragmentAnswer each : several.answers()) {
      WireWriter one = new WireWriter();
      WireWriter body = new WireWriter();
      boolean whole = each.covered().equals(several.covered());
      one.u8(kind(each).code).u8(whole ? 1 : 0);
      if (!whole) {
        ListForm.strings(one, each.covered());
      }
      what(one, body, each);
      byte[] bytes = one.toBytes(body);
      out.uvar(bytes.length).raw(bytes, 0, bytes.length);
    }
  }

  private static Kind kind(FragmentAnswer answer) {
    return switch (answer) {
      case FragmentAnswer.Samples samples -> Kind.SAMPLES;
      case FragmentAnswer.Strings strings -> Kind.LABEL_NAMES;
      case FragmentAnswer.LabelSets sets -> Kind.LABEL_SETS;
      case FragmentAnswer.Owners owners -> Kind.OWNERS;
      case FragmentAnswer.Parts parts -> Kind.PARTS;
      case FragmentAnswer.Unfit unfit -> Kind.UNFIT;
      case FragmentAnswer.Extent extent -> Kind.EXTENT;
      case FragmentAnswer.Changes changes -> Kind.CHANGES;
      case FragmentAnswer.Metadata metadata -> Kind.METADATA;
      case FragmentAnswer.Hosts hosts -> Kind.HOSTS;
      case FragmentAnswer.Newest newest -> Kind.NEWEST;
      case FragmentAnswer.Reduced reduced -> Kind.REDUCED;
      case FragmentAnswer.Refused refused -> Kind.REFUSED;
      case FragmentAnswer.Several several -> Kind.SEVERAL;
    };
  }

  public static FragmentAnswer decodeAnswer(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    Kind kind = header(in, 'A');
    long epoch = in.uvar("the epoch");
    List<String> covered = ListForm.strings(in, "covered hosts");
    FragmentAnswer answer = answer(kind, in, bytes, epoch, covered);
    in.end("the answer");
    return answer;
  }

  private static FragmentAnswer answer(
      Kind kind, WireReader in, byte[] bytes, long epoch, List<String> covered)
      throws WireException {
    return switch (kind) {
      case SAMPLES -> SamplesForm.answer(in, epoch, covered);
      case LABEL_NAMES -> LabelNamesForm.answer(in, epoch, covered);
      case LABEL_SETS -> LabelSetsForm.answer(in, epoch, covered);
      case OWNERS -> OwnersForm.answer(in, epoch, covered);
      case PARTS -> PartsForm.answer(in, epoch, covered);
      case UNFIT -> PartsForm.unfit(in, epoch, covered);
      case EXTENT -> ExtentForm.answer(in, epoch, covered);
      case CHANGES -> ChangesForm.answer(in, epoch, covered);
      case METADATA -> MetadataForm.answer(in, epoch, covered);
      case HOSTS -> HostsForm.answer(in, epoch, covered);
      case NEWEST -> NewestForm.answer(in, bytes, epoch, covered);
      case REDUCED -> ReducedForm.answer(in, epoch, covered);
      case SEVERAL -> answers(in, epoch, covered);
      case REFUSED -> new FragmentAnswer.Refused(epoch, covered, in.string("the reason"));
      case LABEL_VALUES ->
          throw new WireException("the kind " + kind.code + " is of questions only");
    };
  }

  private static FragmentAnswer answers(WireReader in, long epoch, List<String> covered)
      throws WireException {
    int count = in.count(3, "answers");
    List<FragmentAnswer> answers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      byte[] bytes = in.raw(in.uint(Integer.MAX_VALUE, "the length of an answer"), "an answer");
      WireReader one = new WireReader(bytes);
      Kind kind = Kind.of(one.u8("the kind"));
      if (kind == Kind.SEVERAL) {
        throw new WireException("one of several answers is several");
      }
      boolean whole = one.uint(1, "whether all hosts are covered") == 1;
      List<String> mine = whole ? covered : ListForm.strings(one, "covered hosts");
      answers.add(answer(kind, one, bytes, epoch, mine));
      one.end("an answer");
    }
    return new FragmentAnswer.Several(epoch, covered, answers);
  }

  /** Whether the answer to a part of a query can be written: it has no histograms. */
  public static boolean fits(PartResult part) {
    return PartsForm.fits(part);
  }

  private static Kind header(WireReader in, char letter) throws WireException {
    int first = in.u8("the first byte");
    int second = in.u8("the second byte");
    int version = in.u8("the version");
    if (first != 'F' || second != letter || version < OLDEST || version > NEWEST) {
      throw new WireException(
          "the bytes begin with "
              + first
              + ", "
              + second
              + ", "
              + version
              + "; expected 'F', '"
              + letter
              + "' and a version from "
              + OLDEST
              + " to "
              + NEWEST);
    }
    return Kind.of(in.u8("the kind"));
  }
}
