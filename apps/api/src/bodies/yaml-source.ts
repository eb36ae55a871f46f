import type { Problem } from '@assay/kernel';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';

interface Position {
  readonly line: number;
  readonly column: number;
}

/** A YAML text: its value, and the lines of its parts. */
export class YamlSource {
  /** The reasons why the text is not valid YAML. If there are none, `value` is its value. */
  readonly problems: readonly Problem[];
  readonly value: unknown;
  private readonly lines = new LineCounter();
  private readonly document;

  constructor(text: string) {
    this.document = parseDocument(text, { lineCounter: this.lines, prettyErrors: false });
    const problems = this.document.errors.map(({ message, pos }) => ({ path: '', message, ...this.at(pos[0]) }));
    try {
      this.value = problems.length === 0 ? this.document.toJS({ maxAliasCount: 100 }) : undefined;
    } catch (error) {
      // too many aliases, or an alias of nothing
      problems.push({ path: '', message: (error as Error).message, line: 1, column: 1 });
    }
    this.problems = problems;
  }

  /**
   * Returns the problems with their lines. A missing value has the line of what it is missing in.
   */
  located(problems: readonly Problem[]): Problem[] {
    return problems.map((problem) => ({ ...problem, ...this.positionOf(problem.path) }));
  }

  private positionOf(path: string): Position | null {
    let node: unknown = this.document.contents;
    let offset: number | null = null;
    let rest = path;
    while (rest !== '') {
      const step = stepInto(isAlias(node) ? node.resolve(this.document) : node, rest);
      if (!step) break;
      ({ node, rest } = step);
      offset = step.offset;
    }
    return offset === null ? null : this.at(offset);
  }

  private at(offset: number): Position {
    const { line, col } = this.lines.linePos(offset);
    return { line, column: col };
  }
}

interface Step {
  readonly node: unknown;
  readonly rest: string;
  /** The offset of the key or of the list entry. */
  readonly offset: number;
}

/**
 * Follows the first key or index of `path`. Returns null if it does not exist. A key may contain
 * dots itself.
 */
function stepInto(node: unknown, path: string): Step | null {
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue;
      const name = String(key.value);
      if (path === name || path.startsWith(`${name}.`)) {
        return { node: value, rest: path.slice(name.length + 1), offset: key.range![0] };
      }
    }
  }
  if (isSeq(node)) {
    const [place = ''] = path.split('.', 1);
    const item = node.items[Number(place)] as Node | undefined;
    if (item?.range) return { node: item, rest: path.slice(place.length + 1), offset: item.range[0] };
  }
  return null;
}
