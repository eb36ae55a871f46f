const STATES = 2000;
const STEPS = 5000;

/**
 * The places to which paths of an image may lead. Layers hide and replace each other's symlinks in
 * ways that are costly to follow exactly. Therefore every target that a name ever had counts, and
 * so does the name as an ordinary file: `false` is certain, `true` is not.
 */
export class SymlinkPaths {
  /** Targets by path. A set only if there are several, because most paths have one. */
  private readonly targets = new Map<string, string | Set<string>>();

  add(path: string, target: string): void {
    const known = this.targets.get(path);
    if (known instanceof Set) known.add(target);
    else if (known !== target) this.targets.set(path, known === undefined ? target : new Set([known, target]));
  }

  /**
   * Returns whether `path` may lead to `place` or below it; also true if there are too many paths
   * to try.
   */
  mayReach(path: string, place: string): boolean {
    const seen = new Set<string>();
    const open: { readonly at: string; readonly rest: readonly string[] }[] = [{ at: '', rest: steps(path) }];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      const { at, rest } = state;
      if (at === place) return true;
      if (rest.length > STEPS) return true;
      const [step, ...after] = rest;
      const key = `${at}\0${rest.join('/')}`;
      if (step === undefined || seen.has(key)) continue;
      if (seen.add(key).size > STATES) return true;

      if (step === '..') {
        open.push({ at: at.slice(0, Math.max(0, at.lastIndexOf('/'))), rest: after });
        continue;
      }
      const next = `${at}/${step}`;
      open.push({ at: next, rest: after });
      for (const target of this.of(next)) {
        open.push({ at: target.startsWith('/') ? '' : at, rest: [...steps(target), ...after] });
      }
    }
    return false;
  }

  private of(path: string): Iterable<string> {
    const known = this.targets.get(path) ?? [];
    return typeof known === 'string' ? [known] : known;
  }
}

export function steps(path: string): string[] {
  return path.split('/').filter((step) => step !== '' && step !== '.');
}
