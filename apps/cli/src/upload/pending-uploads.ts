import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { configFolder, writePrivately } from '../connection/settings.js';

const PendingUpload = z.object({
  /** The model that was made for it. */
  id: z.string(),
  /** Where uploads of its artifact are created. */
  upload: z.string(),
  /** Where this one goes on, once it was begun. */
  location: z.string().optional(),
});
export type PendingUpload = z.infer<typeof PendingUpload>;

/** An upload that was begun and not completed, kept so that the same command goes on with it. */
export class PendingUploads {
  private constructor(private readonly path: string) {}

  /** `submission`: all that makes two commands the same, the server and the bytes included. */
  static of(submission: object): PendingUploads {
    const name = createHash('sha256').update(JSON.stringify(submission)).digest('hex');
    return new PendingUploads(join(configFolder(), 'uploads', `${name}.json`));
  }

  async read(): Promise<PendingUpload | null> {
    const text = await readFile(this.path, 'utf8').catch(() => null);
    return text === null ? null : PendingUpload.parse(JSON.parse(text));
  }

  write(pending: PendingUpload): Promise<void> {
    return writePrivately(this.path, pending);
  }

  forget(): Promise<void> {
    return rm(this.path, { force: true });
  }
}
