import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A file of an image: where it is here, and its absolute path there. */
export interface RunnerFile {
  readonly source: string;
  readonly target: string;
}

/** What the image that serves ONNX bundles runs, and with what. The bundle lies in `/model`, in a layer of its own. */
export const onnxRunner = {
  command: ['node', '/app/server.mjs'],
  workingDirectory: '/app',
  environment: { ORT_DISABLE_TELEMETRY: '1', NODE_ENV: 'production' },
  port: 8080,
  modelFolder: '/model',
} as const;

const SERVER = [
  'server.mjs',
  'model.mjs',
  'batches.mjs',
  'bundle.mjs',
  'classification.mjs',
  'span.mjs',
  'instances.mjs',
];

/**
 * The runner's own files, beside node and the libraries that node needs itself: libdl, libstdc++, libm, libgcc_s, libpthread, libc and the
 * loader. onnxruntime and tokenizers want `librt.so.1` as well (`ldd`).
 *
 * @param root of the project, where `sandboxes` and `node_modules` are
 */
export function onnxRunnerFiles(root: string): readonly RunnerFile[] {
  const modules = join(root, 'node_modules');
  const packages = [
    'onnxruntime-node/package.json',
    ...within(modules, 'onnxruntime-node/dist', '.js'),
    ...within(modules, 'onnxruntime-node/bin/napi-v6/linux/x64', ''),
    'onnxruntime-common/package.json',
    'onnxruntime-common/dist/cjs/package.json',
    ...within(modules, 'onnxruntime-common/dist/cjs', '.js'),
    'tokenizers/package.json',
    'tokenizers/index.js',
    'tokenizers/tokenizers.linux-x64-gnu.node',
  ];
  return [
    ...SERVER.map((name) => ({ source: join(root, 'sandboxes/onnx-runner', name), target: `/app/${name}` })),
    ...packages.map((path) => ({ source: join(modules, path), target: `/app/node_modules/${path}` })),
  ];
}

/** Shared libraries beyond those that node needs itself, by the names that the loader looks for. */
export const onnxRunnerLibraries: readonly string[] = ['librt.so.1'];

function within(modules: string, folder: string, ending: string): readonly string[] {
  return readdirSync(join(modules, folder))
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => `${folder}/${name}`);
}
