import { join } from 'node:path';
import { buildSubmissionImage } from '../../libs/sandbox/docker/submission-image.js';

const server = join(import.meta.dirname, '../e2e/models/misbehaving.mjs');

/**
 * Writes the archive of a model that does what its first argument says. The engine is not only this world's: an image of the same bytes may be
 * there already, or removed by who else had it, so give each world its own.
 * @param name in its environment, so that other names make other bytes
 */
export async function misbehavingImage(name: string, path: string): Promise<void> {
  await buildSubmissionImage({ server, environment: { NAME: name } }, path);
}
