import { join } from 'node:path';
import { buildSubmissionImage } from '../models/submission-image.js';

const server = join(import.meta.dirname, '../../e2e/models/misbehaving.mjs');

/**
 * Writes the image archive of a model whose first argument selects its behaviour. Use a different
 * name in each world: worlds share the engine, so another world may already have loaded an image of
 * the same bytes, or may remove it.
 * @param name Becomes an environment variable, so that a different name gives different bytes.
 */
export async function misbehavingImage(name: string, path: string): Promise<void> {
  await buildSubmissionImage({ server, environment: { NAME: name } }, path);
}
