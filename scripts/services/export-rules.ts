import ts from 'typescript';

/** The files that others may import of a lib: its index, and the indexes of its folders. */
const ENTRY_POINT = /^libs\/[^/]+\/src\/(?:[a-z-]+\/)?index\.ts$/;
/** The most names that an entry point exports. */
const MOST_NAMES = 25;

/**
 * Returns what breaks the rules of exports in a source text, one sentence for each: the index of a
 * lib, and of a folder of a lib, names what it exports, at most 25 names.
 */
export function exportProblems(path: string, text: string): string[] {
  if (!ENTRY_POINT.test(path)) return [];
  const exports = ts.createSourceFile(path, text, ts.ScriptTarget.Latest).statements.filter(ts.isExportDeclaration);
  const names = exports.flatMap(({ exportClause }) =>
    exportClause && ts.isNamedExports(exportClause) ? exportClause.elements.map(({ name }) => name.text) : [],
  );
  return [
    ...(exports.some(({ exportClause }) => !exportClause) ? [`${path}: export * hides what it exports. Name it.`] : []),
    ...(names.length > MOST_NAMES
      ? [
          `${path}: ${names.length} names are exported, at most ${MOST_NAMES} may be. Give a folder an index of its own.`,
        ]
      : []),
  ];
}
