import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export interface ExportFile {
  readonly content: Readable;
  readonly bytes: number;
}

/**
 * Collects what `fill` writes in a file without a name, and gives it back to read: whoever downloads slowly then keeps nobody else waiting, and
 * what fails fails before the first byte is sent. The file is gone with its reader, or with the process.
 */
export async function exportFile(
  folder: string,
  fill: (write: (text: string) => Promise<void>) => Promise<void>,
): Promise<ExportFile> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    await fill(async (text) => {
      await file.appendFile(text);
    });
    const { size } = await file.stat();
    return { content: file.createReadStream({ start: 0, autoClose: true }), bytes: size };
  } catch (error) {
    await file.close();
    throw error;
  }
}
