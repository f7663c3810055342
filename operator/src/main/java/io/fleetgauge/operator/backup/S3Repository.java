package io.fleetgauge.operator.backup;

import java.io.IOException;
import java.net.URI;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Backups in S3, or in a store with its protocol. Credentials come from where AWS's tools look for
 * them: environment, profile, web identity, container, machine.
 */
public final class S3Repository implements Repository {
  private final S3Client client;
  private final String bucket;
  private final String prefix;

  /**
   * @param bucket its name
   * @param prefix before the name of each file; empty, or ending with a slash
   * @param endpoint of a store that is not AWS's
   * @param region empty: what the environment or the profile says
   * @param pathStyle whether the bucket is in the path and not in the host name
   */
  public S3Repository(
      String bucket,
      String prefix,
      Optional<URI> endpoint,
      Optional<String> region,
      boolean pathStyle) {
    this.bucket = bucket;
    this.prefix = prefix;
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClientBuilder(UrlConnectionHttpClient.builder())
            // Every file has its SHA-256 in its name; many stores do not know AWS's newer
            // checksums.
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .forcePathStyle(pathStyle);
    endpoint.ifPresent(builder::endpointOverride);
    region.map(Region::of).ifPresent(builder::region);
    this.client = builder.build();
  }

  @Override
  public SortedMap<String, StoredFile> list(String below) throws IOException {
    SortedMap<String, StoredFile> found = new TreeMap<>();
    try {
      ListObjectsV2Request request =
          ListObjectsV2Request.builder().bucket(bucket).prefix(prefix + below).build();
      for (S3Object each : client.listObjectsV2Paginator(request).contents()) {
        // A list with a hole would let a prune remove files that a backup has.
        if (each.key() == null
            || !each.key().startsWith(prefix + below)
            || each.size() == null
            || each.lastModified() == null) {
          throw new IOException(place(below) + ": an entry of the list cannot be read: " + each);
        }
        StoredFile file = new StoredFile(each.size(), each.lastModified().toEpochMilli());
        if (found.put(each.key().substring(prefix.length()), file) != null) {
          throw new IOException(
              place(below) + ": the list has " + each.key() + " twice, so it may have no end");
        }
      }
      return found;
    } catch (SdkException | IllegalArgumentException e) { // of a key that is no text of a URL
      throw failed(below, e);
    }
  }

  @Override
  public byte[] get(String name) throws IOException {
    try {
      return client
          .getObjectAsBytes(get -> get.bucket(bucket).key(prefix + name))
          .asByteArrayUnsafe();
    } catch (NoSuchKeyException e) {
      NoSuchFileException none = new NoSuchFileException(place(name));
      none.initCause(e);
      throw none;
    } catch (SdkException e) {
      throw failed(name, e);
    }
  }

  @Override
  public void put(String name, byte[] bytes) throws IOException {
    try {
      client.putObject(put -> put.bucket(bucket).key(prefix + name), RequestBody.fromBytes(bytes));
    } catch (SdkException e) {
      throw failed(name, e);
    }
  }

  @Override
  public void delete(String name) throws IOException {
    try {
      client.deleteObject(delete -> delete.bucket(bucket).key(prefix + name));
    } catch (SdkException e) {
      throw failed(name, e);
    }
  }

  private IOException failed(String name, RuntimeException e) {
    return new IOException(place(name) + ": " + e.getMessage(), e);
  }

  @Override
  public String place(String name) {
    return "s3://" + bucket + "/" + prefix + name;
  }

  @Override
  public void close() {
    client.close();
  }
}
