package dev.tilewright.gpu.nvrtc.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.SeekableByteChannel;
import java.util.Optional;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipFile;

/**
 * A zip file of which only the parts that are wanted are read: the directory, and single entries. Contents are not held
 * against their CRC: {@link PinnedJar} has a better digest.
 */
final class RemoteZip implements AutoCloseable {

    /** Is told which part of the archive will be read next. */
    private interface Announcement {
        void of(long offset, long count) throws IOException;
    }

    private final ZipFile zip;
    private final Announcement announcement;

    /** Reads the directory. The channel is closed with this, or if this fails. */
    RemoteZip(SeekableByteChannel file) throws IOException {
        this(file, (_, _) -> { });
    }

    /** Reads the directory, and lets the channel ask for each entry as a whole. */
    RemoteZip(RangeChannel file) throws IOException {
        this(file, file::announce);
    }

    private RemoteZip(SeekableByteChannel file, Announcement announcement) throws IOException {
        this.announcement = announcement;
        try {
            // Local headers repeat the directory: each of them would be a request.
            this.zip = ZipFile.builder().setSeekableByteChannel(file).setIgnoreLocalFileHeader(true).get();
        } catch (IOException e) {
            file.close();
            // The library says only that it could not read; the cause says why.
            throw e.getCause() instanceof IOException cause ? cause : e;
        } catch (RuntimeException e) {
            file.close();
            throw damaged(e);
        }
    }

    Optional<ZipArchiveEntry> entry(String name) {
        return Optional.ofNullable(zip.getEntry(name));
    }

    /**
     * Opens a file of the archive; the stream gives its contents, inflated, and is a
     * {@link org.apache.commons.compress.utils.InputStreamStatistics}. The caller closes it.
     */
    InputStream open(ZipArchiveEntry entry) throws IOException {
        if (entry.getMethod() != ZipArchiveEntry.STORED && entry.getMethod() != ZipArchiveEntry.DEFLATED) {
            throw new DamagedException(entry.getName() + " is packed by method " + entry.getMethod()
                    + ", which is neither 0 nor 8");
        }
        try {
            // Only its local header says where an entry's data begin: making the raw stream reads it.
            zip.getRawInputStream(entry).close();
            announcement.of(entry.getDataOffset(), entry.getCompressedSize());
            return zip.getInputStream(entry);
        } catch (RuntimeException e) {
            throw damaged(e);
        }
    }

    private static DamagedException damaged(RuntimeException e) {
        return new DamagedException("the archive is damaged: " + e.getMessage(), e);
    }

    @Override
    public void close() throws IOException {
        zip.close();
    }
}
