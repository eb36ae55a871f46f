// For: running models on a Docker engine; building the platform's images without a registry.
// Knows: the engine, cgroups, seccomp, tar archives, HTTP over a Unix socket.
// Must not know: any task, dataset, label or metric; what a response means.
export { DockerEngine } from './docker-engine.js';
export { DockerSandboxDriver } from './docker-sandbox-driver.js';
export { planImage, buildImage, writeImage } from './image-builder.js';
export type { ImageRecipe } from './image-recipe.js';
export { LayerPages } from './layer-pages.js';
export { cachedPages } from './page-cache.js';
export { type PlatformImage, ensurePlatformImages } from './platform-images.js';
export { projectFolder } from './project-files.js';
