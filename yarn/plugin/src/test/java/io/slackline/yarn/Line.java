package io.slackline.yarn;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What lies between plug-in and Slackline: it can be cut, or swallow what goes in one direction and tell nobody. */
final class Line implements AutoCloseable {
  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
  volatile boolean swallowsWhatThePluginSays;
  volatile boolean swallowsWhatSlacklineSays;
  /** What comes in place of all that Slackline says, null = nothing does. */
  volatile byte[] garbage;

  Line(int to) throws IOException {
    run(() -> {
      while (true) {
        Socket near = server.accept();
        Socket far = new Socket(InetAddress.getLoopbackAddress(), to);
        near.setTcpNoDelay(true); // as both ends have it: else what is sent in two parts arrives 40 ms later
        far.setTcpNoDelay(true);
        sockets.add(near);
        sockets.add(far);
        run(() -> carry(near, far, true));
        run(() -> carry(far, near, false));
      }
    });
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void run(Work w) {
    Thread t = new Thread(() -> {
      try {
        w.run();
      } catch (IOException e) {
        // it was cut
      }
    });
    t.setDaemon(true);
    t.start();
  }

  private void carry(Socket from, Socket into, boolean up) throws IOException {
    byte[] buffer = new byte[1 << 16];
    try (from; into) {
      InputStream in = from.getInputStream();
      OutputStream out = into.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (!up && garbage != null) {
          out.write(garbage);
        } else if (!(up ? swallowsWhatThePluginSays : swallowsWhatSlacklineSays)) {
          out.write(buffer, 0, n);
        }
      }
    }
  }

  int port() {
    return server.getLocalPort();
  }

  /** Cuts it. Who dials again gets through. */
  void cut() throws IOException {
    for (Socket s = sockets.poll(); s != null; s = sockets.poll()) {
      s.close();
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    cut();
  }
}
