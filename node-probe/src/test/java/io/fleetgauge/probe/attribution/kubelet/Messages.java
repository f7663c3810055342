package io.fleetgauge.probe.attribution.kubelet;

import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Messages of the pod-resources API, written by Google's library. */
public final class Messages {
  private Messages() {}

  /** One field of a message; several make it up. */
  public interface Field {
    void write(CodedOutputStream out) throws IOException;
  }

  public static byte[] message(List<Field> fields) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      for (Field field : fields) {
        field.write(out);
      }
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  public static byte[] message(Field... fields) {
    return message(List.of(fields));
  }

  static Field text(int number, String value) {
    return out -> out.writeString(number, value);
  }

  static Field nested(int number, Field... fields) {
    return out -> out.writeByteArray(number, message(fields));
  }

  static Field nested(int number, List<Field> fields) {
    return out -> out.writeByteArray(number, message(fields));
  }

  /** A pod of the list, with the processors and the memory that the kubelet lists besides. */
  public static Field pod(String namespace, String name, Field... containers) {
    List<Field> fields = new ArrayList<>();
    fields.add(text(1, name));
    fields.add(text(2, namespace));
    fields.addAll(List.of(containers));
    fields.add(processors(4));
    fields.add(memory(5));
    return nested(1, fields);
  }

  public static Field container(String name, Field... devices) {
    List<Field> fields = new ArrayList<>();
    fields.add(text(1, name));
    fields.addAll(List.of(devices));
    fields.add(processors(3));
    fields.add(memory(4));
    return nested(3, fields);
  }

  /** Devices of a container. */
  public static Field devices(String resource, String... ids) {
    return nested(2, given(resource, ids));
  }

  /** Devices that the kubelet can give away. */
  static Field allocatable(String resource, String... ids) {
    return nested(1, given(resource, ids));
  }

  private static List<Field> given(String resource, String... ids) {
    List<Field> fields = new ArrayList<>();
    fields.add(text(1, resource));
    for (String id : ids) {
      fields.add(text(2, id));
    }
    fields.add(nested(3, nested(1, out -> out.writeInt64(1, 1))));
    fields.add(out -> out.writeFixed64(100, 7)); // of a version to come
    return fields;
  }

  /** A device of dynamic resource allocation. */
  static Field dynamic(String driver, String pool, String device, String... cdi) {
    List<Field> claimed = new ArrayList<>();
    for (String name : cdi) {
      claimed.add(nested(1, text(1, name)));
    }
    claimed.add(text(2, driver));
    claimed.add(text(3, pool));
    claimed.add(text(4, device));
    claimed.add(text(5, "share"));
    return nested(5, text(2, "claim"), text(3, "ns"), nested(4, claimed));
  }

  /** Packed numbers. */
  private static Field processors(int number) {
    return out -> out.writeByteArray(number, new byte[] {0, 1, 2, (byte) 0x80, 1});
  }

  private static Field memory(int number) {
    return nested(number, text(1, "memory"), out -> out.writeUInt64(2, 1L << 40));
  }
}
