import { onnxRunnerImage } from '../../../../sandboxes/onnx-runner/image.js';
import { relayImage } from '../../../../sandboxes/relay/image.js';
import type { ImageRecipe } from './image-recipe.js';
import { projectFolder } from './project-files.js';

/** Returns the recipes of all platform images, for `ensurePlatformImages`. */
export function platformRecipes(): readonly ImageRecipe[] {
  const project = projectFolder();
  return [relayImage(project), onnxRunnerImage(project)];
}
