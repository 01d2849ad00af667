package io.slackline.yarn;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.Seekable;

/**
 * This machine's files under limited:///, of which a reader gets so many bytes a second: what tasks take is then known,
 * whatever else runs. It is for jobs by which predictions are measured ({@code -Dfs.limited.impl}, with this class on
 * the class path of the job), and no part of the plug-in.
 */
public final class RateLimitedFileSystem extends RawLocalFileSystem {
  /** Bytes a second of one stream. */
  static final String RATE = "fs.limited.rate";

  @Override
  public String getScheme() {
    return "limited";
  }

  @Override
  public URI getUri() {
    return URI.create("limited:///");
  }

  @Override
  public FSDataInputStream open(Path f, int bufferSize) throws IOException {
    return new FSDataInputStream(new Limited(super.open(f, bufferSize), getConf().getLong(RATE, 1 << 20)));
  }

  /** A stream that is not ahead of its rate when a read returns. Bytes that are skipped cost nothing. */
  private static final class Limited extends InputStream implements Seekable, PositionedReadable {
    private final FSDataInputStream in;
    private final double nsPerByte;
    private final long opened = System.nanoTime();
    private long read;

    Limited(FSDataInputStream in, long rate) {
      this.in = in;
      nsPerByte = (double) TimeUnit.SECONDS.toNanos(1) / rate;
    }

    private int paced(int n) {
      read += Math.max(0, n);
      long due = opened + (long) (read * nsPerByte);
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      return n;
    }

    @Override
    public int read() throws IOException {
      int b = in.read();
      paced(b < 0 ? 0 : 1);
      return b;
    }

    @Override
    public int read(byte[] to, int from, int n) throws IOException {
      return paced(in.read(to, from, n));
    }

    @Override
    public int read(long at, byte[] to, int from, int n) throws IOException {
      return paced(in.read(at, to, from, n));
    }

    @Override
    public void readFully(long at, byte[] to, int from, int n) throws IOException {
      in.readFully(at, to, from, n);
      paced(n);
    }

    @Override
    public void readFully(long at, byte[] to) throws IOException {
      readFully(at, to, 0, to.length);
    }

    @Override
    public void seek(long to) throws IOException {
      in.seek(to);
    }

    @Override
    public long getPos() throws IOException {
      return in.getPos();
    }

    @Override
    public boolean seekToNewSource(long to) throws IOException {
      return in.seekToNewSource(to);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
