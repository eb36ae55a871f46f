import { readdirSync, readFileSync } from 'node:fs';

/** What a process and all that it began have at this moment. */
export interface TreeUse {
  /** Bytes in memory, each process for itself: what they share counts in each (proc(5), VmRSS). */
  readonly rss: number;
  /** Bytes in memory, what is shared divided among those who share it (proc(5), Pss of smaps_rollup). */
  readonly pss: number;
  readonly openFiles: number;
}

/** Of the process `root` and its descendants; a process that ends meanwhile counts as nothing. */
export function treeUse(root: number): TreeUse {
  const uses = processTree(root).map((pid) => ({
    rss: kilobytes(`/proc/${pid}/status`, 'VmRSS'),
    pss: kilobytes(`/proc/${pid}/smaps_rollup`, 'Pss'),
    openFiles: orNone(() => readdirSync(`/proc/${pid}/fd`).length),
  }));
  const sum = (of: (use: TreeUse) => number): number => uses.reduce((total, use) => total + of(use), 0);
  return { rss: sum(({ rss }) => rss), pss: sum(({ pss }) => pss), openFiles: sum((use) => use.openFiles) };
}

/** `root` first. */
function processTree(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = orNone(() => parentOf(Number(name)));
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = [root];
  for (let index = 0; index < tree.length; index++) tree.push(...(children.get(tree[index]!) ?? []));
  return tree;
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // the name, in parentheses, may hold anything; the parent is the second field after it
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function kilobytes(path: string, name: string): number {
  const found = orNone(() => new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(path, 'utf8'))?.[1]);
  return 1024 * Number(found ?? 0);
}

/** 0 where the process has ended. */
function orNone<T>(read: () => T): T | 0 {
  try {
    return read();
  } catch {
    return 0;
  }
}
