import { join } from 'node:path';
import type { ImageRecipe } from '../../libs/sandbox/src/docker/image-recipe.js';

/**
 * Returns the recipe of the null model's image. The null model runs where a model runs, and does
 * nothing.
 * @param project the folder that contains `sandboxes/`
 */
export function nullModelImage(project: string): ImageRecipe {
  return {
    name: 'assay/null-model',
    layers: [{ files: { '/app/server.mjs': join(project, 'sandboxes', 'null-model', 'server.mjs') } }],
    entrypoint: ['/usr/local/bin/node', '/app/server.mjs'],
    workingDirectory: '/app',
    port: 8080,
  };
}
