package io.fleetgauge.cluster.member;

import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.instance.impl.DefaultNodeContext;
import com.hazelcast.instance.impl.DefaultNodeExtension;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.instance.impl.NodeExtension;
import com.hazelcast.nio.MemberSocketInterceptor;
import io.fleetgauge.runtime.trust.ClusterKey;
import java.io.IOException;
import java.net.Socket;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Semaphore;

/**
 * Lets only members of this cluster connect to Hazelcast, in either direction. The free edition
 * calls a socket interceptor, but takes one from its node extension only, not from the
 * configuration.
 */
final class Connections extends DefaultNodeContext {
  /** Handshakes at once of those that connect here: each holds a thread while it waits. */
  private static final int MAX_HANDSHAKES = 8;

  private final Handshake handshake;
  private final IgnoredEntries ignored;
  private final Semaphore free = new Semaphore(MAX_HANDSHAKES);
  private volatile Optional<String> refusal = Optional.empty();

  Connections(ClusterKey key, IgnoredEntries ignored) {
    this.handshake = new Handshake(key);
    this.ignored = ignored;
  }

  /** Which member was not joined because of its secret, and why; the last one of several. */
  Optional<String> refusal() {
    return refusal;
  }

  @Override
  public NodeExtension createNodeExtension(Node node) {
    Interceptor interceptor = new Interceptor();
    return new DefaultNodeExtension(node) {
      @Override
      public MemberSocketInterceptor getSocketInterceptor(EndpointQualifier qualifier) {
        return interceptor;
      }
    };
  }

  private final class Interceptor implements MemberSocketInterceptor {
    @Override
    public void init(Properties properties) {
      // Nothing is configured.
    }

    @Override
    public void onConnect(Socket socket) throws IOException {
      try {
        handshake.connect(socket);
      } catch (Handshake.Refused e) {
        String member =
            "the member at " + socket.getInetAddress().getHostAddress() + ":" + socket.getPort();
        if (e.isForSecret) {
          refusal = Optional.of(member + ": " + e.getMessage() + "; see cluster.secretFile");
        }
        ignored.ignore(member, e.getMessage());
        throw e;
      }
    }

    @Override
    public void onAccept(Socket socket) throws IOException {
      if (!free.tryAcquire()) {
        throw new IOException(MAX_HANDSHAKES + " others are connecting");
      }
      try {
        handshake.accept(socket);
      } catch (Handshake.Refused e) {
        // Not with the port, which is another one each time.
        ignored.ignore(
            "a connection from " + socket.getInetAddress().getHostAddress(), e.getMessage());
        throw e;
      } finally {
        free.release();
      }
    }
  }
}
