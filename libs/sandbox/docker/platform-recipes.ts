import { onnxRunnerImage } from '../../../sandboxes/onnx-runner/image.js';
import { relayImage } from '../../../sandboxes/relay/image.js';
import type { ImageRecipe } from './image-recipe.js';
import { projectFolder } from './project-files.js';

/** All images of the platform, for `ensurePlatformImages`. */
export function platformRecipes(): readonly ImageRecipe[] {
  const project = projectFolder();
  return [relayImage(project), onnxRunnerImage(project)];
}
