import { readdirSync, readFileSync } from 'node:fs';

/** The current resource use of a process and its descendants. */
export interface TreeUse {
  /**
   * The sum of the resident memory in bytes. Counts shared pages in each process (proc(5), VmRSS).
   */
  readonly rss: number;
  /**
   * The proportional memory in bytes. Divides shared pages among the processes (proc(5), Pss of
   * smaps_rollup).
   */
  readonly pss: number;
  readonly openFiles: number;
}

/**
 * Returns the use of the process `root` and its descendants. A process that ends meanwhile counts
 * as 0.
 */
export function treeUse(root: number): TreeUse {
  const uses = processTree(root).map((pid) => ({
    rss: kilobytes(`/proc/${pid}/status`, 'VmRSS'),
    pss: kilobytes(`/proc/${pid}/smaps_rollup`, 'Pss'),
    openFiles: orNone(() => readdirSync(`/proc/${pid}/fd`).length),
  }));
  const sum = (of: (use: TreeUse) => number): number => uses.reduce((total, use) => total + of(use), 0);
  return { rss: sum(({ rss }) => rss), pss: sum(({ pss }) => pss), openFiles: sum((use) => use.openFiles) };
}

/** Returns the process ids of the tree, `root` first. */
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
  // the process name, in parentheses, may contain anything; the parent is the second field after it
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function kilobytes(path: string, name: string): number {
  const found = orNone(() => new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(path, 'utf8'))?.[1]);
  return 1024 * Number(found ?? 0);
}

/** Returns 0 if the process has ended. */
function orNone<T>(read: () => T): T | 0 {
  try {
    return read();
  } catch {
    return 0;
  }
}
