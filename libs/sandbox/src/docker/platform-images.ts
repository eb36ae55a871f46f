import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DockerEngine } from './docker-engine.js';
import { planImage, writeImage, type PlannedImage } from './image-builder.js';
import type { ImageRecipe } from './image-recipe.js';

/** A platform image that the engine has. Its ID cannot be changed by a tag. */
export interface PlatformImage {
  readonly tag: string;
  readonly id: string;
  /** Digests of its layers, lowest first. Archives for this engine may leave these layers out. */
  readonly layers: readonly string[];
}

export interface PlatformImagesOptions {
  /** Receives a message for each image that is built. */
  readonly log?: (message: string) => void;
}

/**
 * Builds and loads the images of `recipes` that the engine lacks, under tags derived from their
 * content (`<name>:<digest>`). Replaces an image under such a tag whose layers, entrypoint or
 * environment differ, because a tag proves nothing.
 *
 * @throws SandboxUnavailable if the engine does not respond or its disk is full
 */
export function ensurePlatformImages(
  engine: DockerEngine,
  recipes: readonly ImageRecipe[],
  { log = () => undefined }: PlatformImagesOptions = {},
): Promise<PlatformImage[]> {
  // one after the other, so that the second image finds the layers that it shares with the first
  return Array.fromAsync(recipes, (recipe) => ensureImage(engine, recipe, log));
}

async function ensureImage(
  engine: DockerEngine,
  recipe: ImageRecipe,
  log: (message: string) => void,
): Promise<PlatformImage> {
  const image = await planImage(recipe);
  const tag = `${recipe.name}:${image.digest.slice(0, 32)}`;
  const present = await installedAs(engine, tag, image);
  if (present) return present;

  log(`building the image ${tag}`);
  await load(engine, image, tag);
  const loaded = await installedAs(engine, tag, image);
  if (!loaded) throw new Error(`the container engine loaded ${tag}, but the tag refers to another image`);
  return loaded;
}

async function installedAs(engine: DockerEngine, tag: string, image: PlannedImage): Promise<PlatformImage | null> {
  const found = await engine.image(tag);
  if (!found) return null;
  const { config } = JSON.parse(image.configuration.toString()) as { config: { Entrypoint: string[]; Env: string[] } };
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  const ours =
    same(found.RootFS.Layers, image.layers) &&
    same(found.Config.Entrypoint, config.Entrypoint) &&
    same(found.Config.Env, config.Env);
  return ours ? { tag, id: found.Id, layers: image.layers } : null;
}

async function load(engine: DockerEngine, image: PlannedImage, tag: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-image-'));
  try {
    const path = join(folder, 'image.tar');
    await writeImage(image, { path, tag });
    await engine.load(createReadStream(path, { highWaterMark: 1 << 20 }), (await stat(path)).size);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
