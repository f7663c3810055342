package io.fleetgauge.cluster.bus;

import io.fleetgauge.cluster.bus.BusMessage.TableChanged;
import io.fleetgauge.cluster.bus.BusMessage.TenantsChanged;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;

/**
 * The form of a message.
 *
 * <pre>
 * sealed   = envelope signature:32 bytes    for the purpose message; none where no secret is set
 * envelope = version:u8 (1)  life:u64  sequence:uvar  sent:u64  message
 * message  = kind:u8 body
 *   1 table changed    epoch:uvar
 *   2 tenants changed  (empty)
 * </pre>
 *
 * <p>A reader refuses other versions and kinds, and bytes behind the message. The signature is
 * there because Hazelcast has no TLS in the free edition: any process that reaches its port could
 * send messages.
 */
final class MessageForm {
  static final int VERSION = 1;

  private MessageForm() {}

  /**
   * A message with its sender.
   *
   * @param life of the sender; new at each start
   * @param sequence rises with every message of this life of the sender
   * @param sent when it was sent, ms since the epoch by the sender's clock
   */
  record Envelope(long life, long sequence, long sent, BusMessage message) {}

  static byte[] toBytes(Envelope envelope) {
    WireWriter out =
        new WireWriter(64)
            .u8(VERSION)
            .u64(envelope.life())
            .uvar(envelope.sequence())
            .u64(envelope.sent());
    switch (envelope.message()) {
      case TableChanged changed -> out.u8(1).uvar(changed.epoch());
      case TenantsChanged changed -> out.u8(2);
    }
    return out.toBytes();
  }

  /**
   * @throws WireException if the bytes are not a message, or one of another version
   */
  static Envelope fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    in.version(VERSION, "a message");
    long life = in.u64("a sender's life");
    long sequence = in.uvar("a message's sequence");
    long sent = in.u64("a message's time");
    int kind = in.u8("a message's kind");
    BusMessage message =
        switch (kind) {
          case 1 -> new TableChanged(in.uvar("an epoch"));
          case 2 -> new TenantsChanged();
          default -> throw new WireException("a message has the unknown kind " + kind);
        };
    in.end("a message");
    return new Envelope(life, sequence, sent, message);
  }
}
