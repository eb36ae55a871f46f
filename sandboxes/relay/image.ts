import { join } from 'node:path';
import type { ImageRecipe } from '../../libs/sandbox/docker/image-recipe.js';

/** The relay's image: `relay.mjs <socket> <port>`. `project` is the folder that holds `sandboxes/`. */
export function relayImage(project: string): ImageRecipe {
  return {
    name: 'assay/relay',
    layers: [{ files: { '/app/relay.mjs': join(project, 'sandboxes', 'relay', 'relay.mjs') } }],
    entrypoint: ['/usr/local/bin/node', '--max-old-space-size=48', '--max-semi-space-size=2', '/app/relay.mjs'],
  };
}
