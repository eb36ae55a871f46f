import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Of a bundle that was admitted: the file's name in the bundle, and where it was unpacked. */
export interface ModelFile {
  readonly name: string;
  readonly path: string;
}

/** What the platform's image builder takes: absolute paths in the image, and where they come from on this host. */
export interface RunnerRecipe {
  readonly name: string;
  readonly layers: readonly RunnerLayer[];
  readonly entrypoint: readonly string[];
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly port: number;
}

export interface RunnerLayer {
  readonly files: Readonly<Record<string, string>>;
  /** Native modules among the files; they want a shared library that Node does not: librt. */
  readonly linked?: readonly string[];
}

const SERVER = [
  'server.mjs',
  'model.mjs',
  'batches.mjs',
  'bundle.mjs',
  'classification.mjs',
  'span.mjs',
  'instances.mjs',
];
const ONNXRUNTIME = 'onnxruntime-node/bin/napi-v6/linux/x64';
const TOKENIZERS = 'tokenizers/tokenizers.linux-x64-gnu.node';

/**
 * The platform's image that serves ONNX bundles, without a bundle.
 *
 * @param root of the project, where `sandboxes` and `node_modules` are
 */
export function onnxRunnerImage(root: string): RunnerRecipe {
  return {
    name: 'assay/onnx-runner',
    layers: [runnerLayer(root)],
    entrypoint: ['/usr/local/bin/node', '/app/server.mjs'],
    workingDirectory: '/app',
    environment: { ORT_DISABLE_TELEMETRY: '1', NODE_ENV: 'production' },
    port: 8080,
  };
}

/** The runner with the files of one bundle in `/model`, in a layer of their own: all models share the layers below. */
export function onnxModelImage(root: string, files: readonly ModelFile[]): RunnerRecipe {
  const runner = onnxRunnerImage(root);
  const model = Object.fromEntries(files.map(({ name, path }) => [`/model/${name}`, path]));
  return { ...runner, layers: [...runner.layers, { files: model }] };
}

function runnerLayer(root: string): RunnerLayer {
  const modules = join(root, 'node_modules');
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
      ...SERVER.map((name) => [`/app/${name}`, join(root, 'sandboxes/onnx-runner', name)]),
      ...packages.map((path) => [`/app/node_modules/${path}`, join(modules, path)]),
    ]) as Record<string, string>,
    linked: [join(modules, ONNXRUNTIME, 'libonnxruntime.so.1'), join(modules, TOKENIZERS)],
  };
}

function within(modules: string, folder: string, ending: string): readonly string[] {
  return readdirSync(join(modules, folder))
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => `${folder}/${name}`);
}
