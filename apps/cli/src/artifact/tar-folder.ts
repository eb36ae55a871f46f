import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';

/**
 * Packs the files of a folder into a tar archive. The same files give the same bytes, so that an
 * upload of the archive can be resumed.
 */
export async function tarFolder(folder: string, destination: string): Promise<void> {
  const archive = pack();
  await Promise.all([
    addFiles(archive, folder).catch((error: unknown) => {
      archive.destroy(error as Error);
      throw error;
    }),
    pipeline(archive, createWriteStream(destination, { mode: 0o600 })),
  ]);
}

async function addFiles(archive: Pack, folder: string): Promise<void> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths.sort()) {
    // `stat` follows links: a download cache stores its files as symbolic links
    const { size } = await stat(path);
    const entry = archive.entry({ name: relative(folder, path), size, mtime: new Date(0), mode: 0o644 });
    await pipeline(createReadStream(path), entry);
  }
  archive.finalize();
}
