package io.slackline.yarn;

import com.google.protobuf.ByteString;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.slackline.yarn.v1.AttachRequest;
import io.slackline.yarn.v1.AttachResponse;
import io.slackline.yarn.v1.Beat;
import io.slackline.yarn.v1.Event;
import io.slackline.yarn.v1.Item;
import io.slackline.yarn.v1.Mode;
import io.slackline.yarn.v1.Plan;
import io.slackline.yarn.v1.SchedulerServiceGrpc;
import io.slackline.yarn.v1.Snapshot;
import io.slackline.yarn.v1.Welcome;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Assertions;

/** Slackline, as far as the plug-in sees it: it beats, asks for the mode it wants, and sends what a test says. */
final class Peer extends SchedulerServiceGrpc.SchedulerServiceImplBase implements AutoCloseable {
  private final byte[] secret;
  private final Server server;
  final BlockingQueue<Snapshot> snapshots = new LinkedBlockingQueue<>();
  final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  volatile boolean proven;
  /** It answers nothing, and its stream stays open. */
  volatile boolean silent;
  /** How often it had beaten in this stream before it was to place work; 0 = it is not yet. */
  volatile int beatenBefore;
  private int beats;
  /** It never says to have taken in more. */
  volatile long most = Long.MAX_VALUE;
  /** The protocol that it says to speak. */
  volatile int protocol = 1;
  /** The lives of ResourceManagers that have attached. */
  final Set<String> lives = ConcurrentHashMap.newKeySet();
  /** The names of their clusters. */
  final Set<String> clusters = ConcurrentHashMap.newKeySet();
  private volatile Mode wish = Mode.MODE_OURS;
  private volatile StreamObserver<AttachResponse> out;
  private volatile long next = -1;

  Peer(int port, String secret) throws Exception {
    this.secret = secret.getBytes();
    server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port)).addService(this).build().start();
  }

  int port() {
    return server.getPort();
  }

  @Override
  public StreamObserver<AttachRequest> attach(StreamObserver<AttachResponse> to) {
    out = to;
    byte[] mine = new byte[16];
    byte[][] theirs = new byte[1][];
    return new StreamObserver<>() {
      @Override
      public void onNext(AttachRequest m) {
        switch (m.getSaysCase()) {
          case HELLO:
            theirs[0] = m.getHello().getNonce().toByteArray();
            lives.add(m.getHello().getLife());
            clusters.add(m.getHello().getCluster());
            beats = 0;
            beatenBefore = 0;
            send(AttachResponse.newBuilder().setWelcome(Welcome.newBuilder().setProtocol(protocol).setNonce(ByteString.copyFrom(mine))
                .setProof(ByteString.copyFrom(proof("slackline", theirs[0], mine)))));
            return;
          case PROOF:
            proven = java.util.Arrays.equals(m.getProof().getProof().toByteArray(), proof("plugin", theirs[0], mine));
            return;
          case SNAPSHOT:
            next = m.getSnapshot().getNext();
            if (m.getSnapshot().getMode() == Mode.MODE_OURS && beatenBefore == 0) {
              beatenBefore = beats;
            }
            snapshots.add(m.getSnapshot());
            if (m.getSnapshot().getMode() != wish) {
              send(AttachResponse.newBuilder().setMode(wish));
            }
            break;
          default:
            Assertions.assertEquals(next, m.getEvents().getFirst(), "the number of the first event");
            next += m.getEvents().getEventsCount();
            events.addAll(m.getEvents().getEventsList());
        }
        beats++;
        send(AttachResponse.newBuilder().setBeat(Beat.newBuilder().setSeen(Math.min(next, most))));
      }

      @Override
      public void onError(Throwable t) {}

      @Override
      public void onCompleted() {
        to.onCompleted();
      }
    };
  }

  private byte[] proof(String role, byte[] a, byte[] b) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      mac.update(role.getBytes());
      mac.update(a);
      return mac.doFinal(b);
    } catch (java.security.GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  synchronized void send(AttachResponse.Builder m) {
    if (!silent) {
      out.onNext(m.build());
    }
  }

  /** Asks for another mode, now and at each snapshot. */
  void wants(Mode m) {
    wish = m;
    send(AttachResponse.newBuilder().setMode(m));
  }

  void ask(Item.Builder item) {
    send(AttachResponse.newBuilder().setPlan(Plan.newBuilder().addItems(item)));
  }

  /** The next event of that sort; those before it are dropped. */
  Event await(Predicate<Event> which) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (System.nanoTime() < until) {
      Event e = events.poll(100, TimeUnit.MILLISECONDS);
      if (e != null && which.test(e)) {
        return e;
      }
    }
    return Assertions.fail("no such event within a minute");
  }

  Snapshot awaitMode(Mode m) throws InterruptedException {
    return awaitSnapshot(s -> s.getMode() == m);
  }

  /** The next full state of that sort; those before it are dropped. */
  Snapshot awaitSnapshot(Predicate<Snapshot> which) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (System.nanoTime() < until) {
      Snapshot s = snapshots.poll(100, TimeUnit.MILLISECONDS);
      if (s != null && which.test(s)) {
        return s;
      }
    }
    return Assertions.fail("no such full state within a minute");
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
