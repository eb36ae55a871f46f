import type { ModelKind } from './kind-choices.js';

/** The detected kind of a file; null if it is unknown. */
export type SeemingKind = ModelKind | 'bare-onnx' | null;

/** A reason why a file will be rejected, or might be. */
export interface ArtifactProblem {
  /** `refused`: the service is certain to reject the file. */
  readonly severity: 'refused' | 'doubtful';
  readonly code: 'empty' | 'too_large' | 'bare_onnx' | 'other_kind' | 'unknown_kind';
  /** For `other_kind`: the detected kind. */
  readonly seems?: ModelKind;
}

const TAR_BLOCK = 512;
/**
 * Limits of the detection: tar headers that are read, and bytes of a gzip file that are
 * decompressed.
 */
const HEADERS = 200;
const UNPACKED = 2 * 2 ** 20;

/**
 * Detects the kind of a file from its first bytes, and that of a tar also from its entry names.
 * Reads only a small part, however large the file is.
 */
export async function seemingKind(file: Blob, name: string): Promise<SeemingKind> {
  const start = await latin1(file.slice(0, TAR_BLOCK));
  if (start.startsWith('PK')) return 'onnx';
  // zstd and xz: only images use these
  if (start.startsWith('\x28\xb5\x2f\xfd') || start.startsWith('\xfd7zXZ')) return 'container';
  if (start.slice(257, 262) === 'ustar') return kindInTar(file);
  if (start.startsWith('\x1f\x8b')) return kindInTar(await unpackedStart(file));
  if (/^(\xef\xbb\xbf)?\s*\{/.test(start)) return 'predictions';
  return name.toLowerCase().endsWith('.onnx') ? 'bare-onnx' : null;
}

/**
 * Returns the first problem of a file; null if there is none.
 * @param limit The artifact limit of the task, in bytes.
 */
export function artifactProblem(
  size: number,
  seems: SeemingKind,
  kind: ModelKind,
  limit: number,
): ArtifactProblem | null {
  if (size === 0) return { severity: 'refused', code: 'empty' };
  if (size > limit) return { severity: 'refused', code: 'too_large' };
  if (seems === 'bare-onnx') return { severity: 'refused', code: 'bare_onnx' };
  if (seems === null) return { severity: 'doubtful', code: 'unknown_kind' };
  return seems === kind ? null : { severity: 'doubtful', code: 'other_kind', seems };
}

/**
 * Detects the kind by the first telling entry name. A tar without one may be of either kind; it
 * counts as an image, which is more common.
 */
async function kindInTar(tar: Blob): Promise<SeemingKind> {
  let at = 0;
  for (let headers = 0; headers < HEADERS && at + TAR_BLOCK <= tar.size; headers++) {
    const header = await latin1(tar.slice(at, at + TAR_BLOCK));
    const kind = kindOfEntry(textAt(header, 0, 100));
    if (kind) return kind;
    const size = parseInt(textAt(header, 124, 12).trim() || '0', 8);
    if (!Number.isFinite(size)) break;
    at += TAR_BLOCK * (1 + Math.ceil(size / TAR_BLOCK));
  }
  return 'container';
}

/** Returns the kind of archive that an entry of this name indicates. */
export function kindOfEntry(name: string): 'container' | 'onnx' | null {
  const plain = name.replace(/^\.\//, '');
  if (/^(manifest\.json|index\.json|oci-layout|repositories|blobs\/|[0-9a-f]{64}(\.json|\/|$))/.test(plain)) {
    return 'container';
  }
  return /(^|\/)(model\.onnx|tokenizer(_config)?\.json)$/.test(plain) ? 'onnx' : null;
}

async function unpackedStart(file: Blob): Promise<Blob> {
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    while (bytes < UNPACKED) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      bytes += value.length;
    }
  } catch {
    // the service reports damaged files
  } finally {
    void reader.cancel().catch(() => undefined);
  }
  return new Blob(parts);
}

const latin1 = async (blob: Blob): Promise<string> => String.fromCharCode(...new Uint8Array(await blob.arrayBuffer()));

const textAt = (header: string, at: number, length: number): string => header.slice(at, at + length).split('\0', 1)[0]!;
