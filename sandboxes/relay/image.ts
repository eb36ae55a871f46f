import { join } from 'node:path';
import type { ImageRecipe } from '../../libs/sandbox/src/docker/image-recipe.js';

/**
 * Returns the recipe of the relay's image, which runs `relay.mjs <socket> <port>`.
 * @param project the folder that contains `sandboxes/`
 */
export function relayImage(project: string): ImageRecipe {
  return {
    name: 'assay/relay',
    layers: [{ files: { '/app/relay.mjs': join(project, 'sandboxes', 'relay', 'relay.mjs') } }],
    entrypoint: ['/usr/local/bin/node', '--max-old-space-size=48', '--max-semi-space-size=2', '/app/relay.mjs'],
  };
}
