package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.form.ListForm;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;

/** Fragments and their answers as bytes, which the package's description draws. */
public final class FragmentCodec {
  private static final int VERSION = 1;

  private FragmentCodec() {}

  public static byte[] encode(Fragment fragment) {
    Load load = fragment.load();
    WireWriter out = new WireWriter();
    out.u8('F').u8('Q').u8(VERSION).u8(fragment.question().kind().code);
    out.string(load.tenant()).uvar(load.weight()).uvar(load.work());
    out.uvar(fragment.epoch());
    ListForm.strings(out, fragment.hosts());
    fragment.question().write(out);
    return out.toBytes();
  }

  /** The kind of an encoded fragment, of which nothing else is read. */
  public static Question.Kind kind(byte[] bytes) throws WireException {
    return header(new WireReader(bytes), 'Q');
  }

  public static Fragment decode(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    Question.Kind kind = header(in, 'Q');
    String tenant = in.string("the tenant");
    int weight = in.uint(Integer.MAX_VALUE, "the tenant's weight");
    if (weight < 1) {
      throw new WireException("the tenant's weight is 0");
    }
    Load load = new Load(tenant, weight, in.uvar("the work"));
    long epoch = in.uvar("the epoch");
    List<String> hosts = ListForm.strings(in, "hosts");
    Fragment fragment = new Fragment(load, epoch, hosts, kind.question(in));
    in.end("the fragment");
    return fragment;
  }

  /**
   * @param question that it answers
   */
  public static byte[] encode(FragmentAnswer answer, Question<?> question) {
    WireWriter out = new WireWriter(4_096 + answer.result().outBytes());
    WireWriter body = new WireWriter(answer.result().bodyBytes());
    out.u8('F').u8('A').u8(VERSION).u8(question.kind().code);
    out.uvar(answer.epoch());
    ListForm.strings(out, answer.covered());
    answer.result().write(out, body);
    return out.toBytes(body);
  }

  /**
   * @param question that it has to answer
   */
  public static FragmentAnswer decode(byte[] bytes, Question<?> question) throws WireException {
    WireReader in = new WireReader(bytes);
    Question.Kind kind = header(in, 'A');
    if (kind != question.kind()) {
      throw new WireException(
          "the result is of the kind " + kind.code + ", the request " + question.kind().code);
    }
    long epoch = in.uvar("the epoch");
    List<String> covered = ListForm.strings(in, "covered hosts");
    FragmentAnswer answer = new FragmentAnswer(epoch, covered, question.answer(in, bytes));
    in.end("the answer");
    return answer;
  }

  private static Question.Kind header(WireReader in, char letter) throws WireException {
    int first = in.u8("the first byte");
    int second = in.u8("the second byte");
    int version = in.u8("the version");
    if (first != 'F' || second != letter || version != VERSION) {
      throw new WireException(
          "the bytes begin with "
              + first
              + ", "
              + second
              + ", "
              + version
              + "; expected 'F', '"
              + letter
              + "' and version "
              + VERSION);
    }
    return Question.Kind.of(in.u8("the kind"));
  }
}
