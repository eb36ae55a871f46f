// For: running models on a Docker engine; building the platform's images without a registry.
// Knows: the engine, cgroups, seccomp, tar archives, HTTP over a Unix socket.
// Must not know: any task, dataset, label or metric; what a response means.
export * from './docker-engine.js';
export * from './docker-sandbox-driver.js';
export * from './image-builder.js';
export * from './image-recipe.js';
export * from './layer-pages.js';
export * from './page-cache.js';
export * from './platform-images.js';
export * from './project-files.js';
export * from './platform-recipes.js';
export * from './submission-image.js';
