// Lets Node run the project's TypeScript directly: `node --import ./scripts/typescript.mjs
// scripts/up.ts`. Uses the same transform as the tests, because Node's own type stripping supports
// neither decorators nor path aliases.
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';

const root = dirname(import.meta.dirname);
process.setSourceMapsEnabled(true);

/** Returns the source file for a specifier if it belongs to the project, else undefined. */
function source(specifier, parent) {
  const lib = /^@assay\/([a-z]+)(\/[a-z]+)?$/.exec(specifier);
  if (lib) return `${root}/libs/${lib[1]}/src${lib[2] ?? ''}/index.ts`;
  if (!/^\.{1,2}\/.*\.js$/.test(specifier) || !parent?.endsWith('.ts')) return undefined;
  return fileURLToPath(new URL(specifier.replace(/\.js$/, '.ts'), parent));
}

registerHooks({
  resolve(specifier, context, next) {
    const path = source(specifier, context.parentURL);
    return next(path && existsSync(path) ? pathToFileURL(path).href : specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    const filename = fileURLToPath(url);
    const { code } = transformSync(next(url, { ...context, format: 'module' }).source.toString(), {
      filename,
      swcrc: false,
      sourceMaps: 'inline',
      module: { type: 'es6' },
      jsc: {
        target: 'es2023',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        keepClassNames: true,
      },
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
