import { mkdir, open, rmdir, stat } from 'node:fs/promises';
import { quoted, Refusal, type RefusalCode } from '../refusal.js';
import { readBundlePurpose, SETTINGS_FILES, type BundlePurpose, type SettingsFile } from './bundle-settings.js';
import { readOnnxModel } from './onnx-model.js';
import { unpackTar } from './unpack-tar.js';
import { unpackZip } from './unpack-zip.js';
import { Unpacking, type UnpackedFile, type UnpackingLimits } from './unpacking.js';

/** A bundle that the runner may load in a sandbox. */
export interface OnnxBundle {
  /**
   * `model.onnx`, the three JSON files and the external data, by name. Nothing else of the archive
   * is used.
   */
  readonly files: readonly UnpackedFile[];
  readonly purpose: BundlePurpose;
  /** The version of each operator set, by domain; `''` is ONNX's own. */
  readonly opset: Readonly<Record<string, number>>;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Its `bundleDigest`. Absent unless it was computed. */
  readonly digest?: string | null;
}

export type BundleInspection =
  | { readonly kind: 'admitted'; readonly bundle: OnnxBundle }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly message: string };

const MODEL = 'model.onnx';
const REQUIRED = [MODEL, ...SETTINGS_FILES] as const;

/**
 * Unpacks the zip, tar or gzipped tar at `path` into the folder `destination` under new names, and
 * decides whether the bundle may run. Creates `destination` if it is missing; a refused bundle
 * leaves nothing there. The model is never loaded: it is read as protobuf.
 *
 * A refusal is a value.
 * @throws the errors of the file system, and the reason of `signal`
 */
export async function inspectOnnxBundle(
  path: string,
  destination: string,
  limits: UnpackingLimits,
): Promise<BundleInspection> {
  await mkdir(destination, { recursive: true });
  const { size } = await stat(path);
  const unpacking = new Unpacking(destination, { ...limits, packedBytes: size });
  try {
    return { kind: 'admitted', bundle: await admit(path, unpacking, limits) };
  } catch (error) {
    await unpacking.discard();
    // the folder may contain something else
    await rmdir(destination).catch(() => undefined);
    // an aborted signal takes precedence over the error that it caused
    limits.signal?.throwIfAborted();
    if (error instanceof Refusal) return { kind: 'refused', code: error.code, message: error.message };
    throw error;
  }
}

async function admit(path: string, unpacking: Unpacking, limits: UnpackingLimits): Promise<OnnxBundle> {
  await unpack(path, unpacking, limits);

  const files = rootFiles(unpacking.files);
  const required = requiredFiles(files, unpacking.files);
  const sizes = new Map([...files.values()].filter(isPlain).map(({ name, size }) => [name, size]));
  const model = readOnnxModel(required[MODEL].path, sizes);
  const purpose = await readBundlePurpose(required, model);
  limits.signal?.throwIfAborted();

  const names = [...REQUIRED, ...model.externalFiles.filter((name) => !REQUIRED.some((known) => known === name))];
  return {
    files: names.map((name) => files.get(name)!),
    purpose,
    opset: model.opset,
    inputs: model.inputs,
    outputs: model.outputs,
  };
}

async function unpack(path: string, unpacking: Unpacking, limits: UnpackingLimits): Promise<void> {
  const start = await firstBytes(path, 512);
  const magic = start.toString('latin1', 0, 4);
  if (magic === 'PK\x03\x04' || magic === 'PK\x05\x06') await unpackZip(path, unpacking);
  else if (magic.startsWith('\x1f\x8b')) await unpackTar(path, 'gzip', unpacking, limits);
  else if (start.toString('latin1', 257, 262) === 'ustar') await unpackTar(path, 'none', unpacking, limits);
  else throw new Refusal('not_a_bundle', 'The file is neither a zip nor a tar (gzipped or not).');
}

async function firstBytes(path: string, count: number): Promise<Buffer> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, 0);
  return buffer.subarray(0, bytesRead);
}

/**
 * The files at the archive's root, by their plain names; if there are none, those of its only
 * folder.
 */
function rootFiles(files: readonly UnpackedFile[]): ReadonlyMap<string, UnpackedFile> {
  const tops = new Set(files.map(({ name }) => name.split('/')[0]));
  const folder = tops.size === 1 && files.every(({ name }) => name.includes('/')) ? `${[...tops].join('')}/` : '';
  return new Map(
    files
      .filter(({ name }) => !name.slice(folder.length).includes('/'))
      .map((file) => [file.name.slice(folder.length), { ...file, name: file.name.slice(folder.length) }]),
  );
}

function requiredFiles(
  files: ReadonlyMap<string, UnpackedFile>,
  everything: readonly UnpackedFile[],
): Readonly<Record<typeof MODEL | SettingsFile, UnpackedFile>> {
  const missing = REQUIRED.filter((name) => !files.has(name));
  if (missing.length === 0) {
    return Object.fromEntries(REQUIRED.map((name) => [name, files.get(name)!])) as Record<
      (typeof REQUIRED)[number],
      UnpackedFile
    >;
  }
  if (missing.length === REQUIRED.length && everything.length === 0) {
    throw new Refusal('not_a_bundle', 'The archive contains no files.');
  }
  const elsewhere = everything.find(({ name }) => missing.some((wanted) => name.endsWith(`/${wanted}`)));
  const hint = elsewhere === undefined ? '' : ` It has ${quoted(elsewhere.name)}. Put all files into one folder.`;
  throw new Refusal('bundle_incomplete', `The bundle has no ${missing.join(', no ')}.${hint}`);
}

function isPlain({ name }: UnpackedFile): boolean {
  return /^[\w.-]+$/.test(name);
}
