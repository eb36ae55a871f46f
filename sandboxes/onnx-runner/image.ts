import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageLayer, ImageRecipe } from '../../libs/sandbox/src/docker/image-recipe.js';

/** A file of an admitted bundle: its name in the bundle, and the path where it was unpacked. */
export interface ModelFile {
  readonly name: string;
  readonly path: string;
}

const SERVER = [
  'server.mjs',
  'model.mjs',
  'batches.mjs',
  'bundle.mjs',
  'classification.mjs',
  'explanation.mjs',
  'span.mjs',
  'instances.mjs',
];
const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'x64';
const ONNXRUNTIME = `onnxruntime-node/bin/napi-v6/linux/${ARCHITECTURE}`;
const TOKENIZERS = `tokenizers/tokenizers.linux-${ARCHITECTURE}-gnu.node`;

/**
 * Returns the recipe of the platform image that serves ONNX bundles, without a bundle.
 *
 * @param project the folder that contains `sandboxes/` and `node_modules/`
 */
export function onnxRunnerImage(project: string): ImageRecipe {
  return {
    name: 'assay/onnx-runner',
    layers: [runnerLayer(project)],
    entrypoint: ['/usr/local/bin/node', '/app/server.mjs'],
    workingDirectory: '/app',
    environment: { ORT_DISABLE_TELEMETRY: '1', NODE_ENV: 'production' },
    port: 8080,
  };
}

/**
 * Returns the recipe of the runner with the files of one bundle in `/model`. They form a layer of
 * their own, so all models share the layers below.
 */
export function onnxModelImage(project: string, files: readonly ModelFile[]): ImageRecipe {
  const runner = onnxRunnerImage(project);
  const model = Object.fromEntries(files.map(({ name, path }) => [`/model/${name}`, path]));
  return { ...runner, layers: [...runner.layers, { files: model }] };
}

/** By the project folder: its files stay as they are. */
const runnerLayers = new Map<string, ImageLayer>();

function runnerLayer(project: string): ImageLayer {
  const known = runnerLayers.get(project) ?? newRunnerLayer(project);
  runnerLayers.set(project, known);
  return known;
}

function newRunnerLayer(project: string): ImageLayer {
  const modules = join(project, 'node_modules');
  const natives = within(modules, ONNXRUNTIME, '');
  const packages = [
    'onnxruntime-node/package.json',
    ...within(modules, 'onnxruntime-node/dist', '.js'),
    ...natives,
    'onnxruntime-common/package.json',
    'onnxruntime-common/dist/cjs/package.json',
    ...within(modules, 'onnxruntime-common/dist/cjs', '.js'),
    'tokenizers/package.json',
    'tokenizers/index.js',
    TOKENIZERS,
  ];
  return {
    files: Object.fromEntries([
      ...SERVER.map((name) => [`/app/${name}`, join(project, 'sandboxes/onnx-runner', name)]),
      ...packages.map((path) => [`/app/node_modules/${path}`, join(modules, path)]),
    ]) as Record<string, string>,
    // these need librt, which Node does not link to
    linked: [join(modules, ONNXRUNTIME, 'libonnxruntime.so.1'), join(modules, TOKENIZERS)],
  };
}

function within(modules: string, folder: string, ending: string): readonly string[] {
  return readdirSync(join(modules, folder))
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => `${folder}/${name}`);
}
