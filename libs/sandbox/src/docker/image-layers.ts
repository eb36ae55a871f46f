import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { ImageLayer, ImageSource } from './image-recipe.js';
import { nodeBinary } from './project-files.js';
import { sharedLibrariesOf } from './shared-libraries.js';
import { filePieces, type TarEntry, tarPieces } from './tar-pieces.js';

/**
 * One entry of a layer. Everything that could differ between two hosts (times, owners, order) is
 * omitted or fixed.
 */
export type LayerEntry =
  | { readonly path: string; readonly kind: 'folder'; readonly mode: number }
  | { readonly path: string; readonly kind: 'link'; readonly target: string }
  | {
      readonly path: string;
      readonly kind: 'file';
      readonly mode: number;
      readonly size: number;
      readonly from: string | Buffer;
    };

const passwd = 'root:x:0:0:root:/:/sbin/nologin\nnobody:x:65534:65534:nobody:/tmp:/sbin/nologin\n';
const group = 'root:x:0:\nnogroup:x:65534:\n';

/**
 * Returns the lowest layer of every platform image: Node, the libraries it links to, and a minimal
 * /etc.
 */
export async function nodeLayer(): Promise<LayerEntry[]> {
  const node = await nodeBinary();
  const libraries = await sharedLibrariesOf([node]);
  const entries = await entriesOf({
    '/usr/local/bin/node': node,
    '/etc/passwd': { content: passwd },
    '/etc/group': { content: group },
    '/etc/nsswitch.conf': { content: 'hosts: files\npasswd: files\ngroup: files\n' },
    ...(await byRealFile(libraries)),
  });
  return inOrder([...entries, { path: 'tmp', kind: 'folder', mode: 0o1777 }]);
}

/**
 * Returns the entries of one layer of a recipe, without the libraries that Node's layer already
 * has.
 */
export async function recipeLayer(layer: ImageLayer): Promise<LayerEntry[]> {
  const linked = layer.linked ?? [];
  const libraries = await sharedLibrariesOf(linked);
  if (linked.length > 0) for (const known of await sharedLibrariesOf([await nodeBinary()])) libraries.delete(known);
  return inOrder(await entriesOf({ ...(await byRealFile(libraries)), ...layer.files }));
}

/** Returns the layer as an uncompressed tar. Each call gives the same bytes. */
export const layerTar = (entries: readonly LayerEntry[]): AsyncGenerator<Buffer> => tarPieces(entries.map(tarEntry));

function tarEntry(entry: LayerEntry): TarEntry {
  const header = { name: entry.path, mtime: new Date(0), uid: 0, gid: 0 };
  switch (entry.kind) {
    case 'folder':
      return { header: { ...header, type: 'directory', mode: entry.mode } };
    case 'link':
      return { header: { ...header, type: 'symlink', linkname: entry.target, mode: 0o777 } };
    case 'file': {
      const { mode, size, from } = entry;
      const content = typeof from === 'string' ? filePieces(from, size) : [from];
      return { header: { ...header, type: 'file', mode, size }, content };
    }
  }
}

async function byRealFile(libraries: ReadonlySet<string>): Promise<Record<string, string>> {
  return Object.fromEntries(
    await Array.fromAsync(libraries, async (library) => [library, await realpath(library)] as const),
  );
}

async function entriesOf(files: Readonly<Record<string, ImageSource>>): Promise<LayerEntry[]> {
  const entries: LayerEntry[] = [];
  for (const [path, source] of Object.entries(files)) {
    const inside = posix.normalize(path).replace(/^\/+/, '');
    if (typeof source === 'string') {
      entries.push(...(await entriesFrom(inside, source)));
    } else {
      const from = Buffer.from(source.content);
      entries.push({ path: inside, kind: 'file', mode: source.executable ? 0o755 : 0o644, size: from.length, from });
    }
  }
  return entries;
}

async function entriesFrom(path: string, from: string): Promise<LayerEntry[]> {
  const facts = await lstat(from);
  if (facts.isDirectory()) {
    const names = await readdir(from);
    const inside = await Array.fromAsync(names, (name) => entriesFrom(posix.join(path, name), join(from, name)));
    return [{ path, kind: 'folder', mode: 0o755 }, ...inside.flat()];
  }
  if (facts.isSymbolicLink()) return [{ path, kind: 'link', target: await readlink(from) }];
  const { size, mode } = await stat(from);
  return [{ path, kind: 'file', mode: mode & 0o111 ? 0o755 : 0o644, size, from }];
}

/**
 * Adds missing parent folders, removes duplicate paths and sorts by path, so that parents come
 * before their contents.
 */
function inOrder(entries: readonly LayerEntry[]): LayerEntry[] {
  const byPath = new Map<string, LayerEntry>();
  for (const entry of entries) {
    for (let parent = dirname(entry.path); parent !== '.'; parent = dirname(parent)) {
      if (!byPath.has(parent)) byPath.set(parent, { path: parent, kind: 'folder', mode: 0o755 });
    }
    byPath.set(entry.path, entry);
  }
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
