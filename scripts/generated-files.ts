import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.js';
import { project, runNode } from './command.js';

/** A file in the repository that is made from the code. */
interface GeneratedFile {
  readonly path: string;
  /** Its content as the code is now. */
  generate(): Promise<string>;
}

export const openApiDocument: GeneratedFile = {
  path: 'apps/api/openapi.json',
  generate: () => written((path) => ['dist/apps/api/apps/api/src/openapi.js', path]),
};

export const cliClient: GeneratedFile = {
  path: 'apps/cli/src/client.gen.ts',
  generate: () =>
    written((path) => ['node_modules/openapi-typescript/bin/cli.js', openApiDocument.path, '--output', path]),
};

/** What is wrong with the file in the repository, or nothing. */
export async function staleness(file: GeneratedFile): Promise<string | undefined> {
  const path = join(project, file.path);
  if (existsSync(path) && readFileSync(path, 'utf8') === (await file.generate())) return undefined;
  return `${file.path} is not what the code gives now. Write it anew with: npm run generate`;
}

/** What a program of Node's writes to the file that it is given. */
async function written(command: (path: string) => readonly string[]): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-generated-'));
  try {
    const path = join(directory, 'output');
    const { code, output } = await runNode(command(path));
    if (code !== 0 || !existsSync(path)) throw new Error(output.trim() || `${command(path).join(' ')} wrote nothing.`);
    return readFileSync(path, 'utf8');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

if (import.meta.main) {
  await build();
  // in this order: the client is made from the document
  for (const file of [openApiDocument, cliClient]) {
    writeFileSync(join(project, file.path), await file.generate());
    console.log(`Wrote ${file.path}.`);
  }
}
