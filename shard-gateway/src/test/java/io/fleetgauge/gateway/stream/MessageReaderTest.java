package io.fleetgauge.gateway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MessageReaderTest {
  private static final byte[] PROOF = new byte[32];

  private final MessageReader reader = new MessageReader();

  private static Buffer bytes(Message message, byte[] proof) {
    Buffer out = Buffer.buffer();
    Message.write(message.head(), proof, message.body(), out);
    return out;
  }

  private static Message question(long number, int size) {
    return new Message(3, number, new byte[] {7, 8}, new byte[size]);
  }

  private static Message read(MessageReader.Found found) throws WireException {
    return Message.read(found.head(), found.body());
  }

  @Test
  void aMessageHasTheBytesThatThePackageDraws() {
    assertThat(
            HexFormat.of()
                .formatHex(
                    bytes(
                            new Message(3, 300, new byte[] {7, 8}, new byte[] {1, 2, 3}),
                            new byte[] {9})
                        .getBytes()))
        .isEqualTo("0c000000" + "0500" + "01" + "03ac02" + "0708" + "09" + "010203");
  }

  @Test
  void whatIsReadIsWhatWasWrittenHoweverItIsDivided() throws Exception {
    Buffer all = Buffer.buffer();
    for (int i = 0; i < 5; i++) {
      all.appendBuffer(bytes(question(i, 1_000 * i), PROOF));
    }
    for (int piece : new int[] {1, 2, 7, 64, 1_001, all.length()}) {
      List<Message> found = new ArrayList<>();
      for (int from = 0; from < all.length(); from += piece) {
        reader.add(all.slice(from, Math.min(all.length(), from + piece)));
        for (var next = reader.next(); next.isPresent(); next = reader.next()) {
          assertThat(next.get().proof()).isEqualTo(PROOF);
          found.add(read(next.get()));
        }
      }
      assertThat(found).as("pieces of %d", piece).hasSize(5);
      for (int i = 0; i < 5; i++) {
        assertThat(found.get(i)).usingRecursiveComparison().isEqualTo(question(i, 1_000 * i));
      }
    }
  }

  @Test
  void whatComesBeforeTheMessagesIsTakenWhole() {
    reader.add(Buffer.buffer(new byte[15]));
    assertThat(reader.take(16)).isEmpty();
    reader.add(Buffer.buffer(new byte[3]));
    assertThat(reader.take(16)).map(bytes -> bytes.length).isEqualTo(Optional.of(16));
    assertThat(reader.take(3)).isEmpty();
  }

  @Test
  void aBodyThatIsTooLongIsRefusedBeforeItComes() {
    reader.add(
        Buffer.buffer()
            .appendIntLE(StreamQuestion.MAX_BODY + 3 + 1)
            .appendUnsignedShortLE(0)
            .appendUnsignedByte((short) 0));
    assertThatThrownBy(reader::next)
        .isInstanceOf(WireException.class)
        .hasMessageContaining("" + StreamQuestion.MAX_BODY);
  }

  @Test
  void lengthsThatContradictEachOtherAreRefused() {
    reader.add(
        Buffer.buffer().appendIntLE(10).appendUnsignedShortLE(8).appendUnsignedByte((short) 0));
    assertThatThrownBy(reader::next).isInstanceOf(WireException.class);
    MessageReader other = new MessageReader();
    other.add(
        Buffer.buffer().appendIntLE(-1).appendUnsignedShortLE(8).appendUnsignedByte((short) 0));
    assertThatThrownBy(other::next).isInstanceOf(WireException.class);
  }
}
