package io.slackline.yarn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RateLimitedFileSystemTest {
  /** All is read as it is in the file, and no sooner than the rate allows. */
  @Test
  void readsAllAndNoSooner(@TempDir Path dir) throws Exception {
    byte[] want = new byte[50_000];
    new Random(1).nextBytes(want);
    Path file = Files.write(dir.resolve("file"), want);
    Configuration c = new Configuration();
    c.setClass("fs.limited.impl", RateLimitedFileSystem.class, FileSystem.class);
    c.setLong(RateLimitedFileSystem.RATE, 1_000_000);
    long began = System.nanoTime();
    try (FileSystem fs = FileSystem.newInstance(URI.create("limited:///"), c);
        var in = fs.open(new org.apache.hadoop.fs.Path("limited://" + file))) {
      assertEquals(want.length, fs.getFileStatus(new org.apache.hadoop.fs.Path("limited://" + file)).getLen());
      in.seek(10_000);
      byte[] rest = in.readAllBytes();
      assertArrayEquals(java.util.Arrays.copyOfRange(want, 10_000, want.length), rest);
    }
    assertTrue(System.nanoTime() - began >= TimeUnit.MILLISECONDS.toNanos(40));
  }
}
