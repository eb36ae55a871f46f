import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { configFolder, writePrivately } from '../connection/settings.js';

const PendingUpload = z.object({
  /** ID of the model that was created for the upload. */
  id: z.string(),
  /** URL at which uploads of the model's artifact are created. */
  upload: z.string(),
  /** URL of this upload, once it has been created. */
  location: z.string().optional(),
});
export type PendingUpload = z.infer<typeof PendingUpload>;

/** A stored, incomplete upload. The same command resumes it. */
export class PendingUploads {
  private constructor(private readonly path: string) {}

  /**
   * Returns the stored upload of a submission.
   *
   * @param submission everything that identifies the command, including the server and the digest
   */
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
