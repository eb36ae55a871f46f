import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Bill, billProblems } from './sbom.js';
import { supplyChainProblems } from './supply-chain.js';

const SHA512 = `sha512-${'A'.repeat(86)}==`;
const project = join(import.meta.dirname, '..');
const npmrc = 'ignore-scripts=true\n';

/** Returns the problems of a lock file with such a package. */
function problemsOf(locked: Record<string, unknown>, place = 'node_modules/left-pad'): string[] {
  const lock = {
    lockfileVersion: 3,
    packages: { '': {}, [place]: { version: '1.0.0', license: 'MIT', integrity: SHA512, ...locked } },
  };
  return supplyChainProblems(lock, npmrc);
}

describe('the supply chain', () => {
  it('has nothing against what the project is made of', () => {
    const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as unknown;
    expect(supplyChainProblems(lock, readFileSync(join(project, '.npmrc'), 'utf8'))).toEqual([]);
    expect(problemsOf({})).toEqual([]);
  });

  it.each([
    ['no hash', { integrity: undefined }, /left-pad 1\.0\.0 has no sha512/],
    ['a weak hash', { integrity: 'sha1-AAAA' }, /has no sha512/],
    ['a repository', { resolved: 'git+ssh://git@github.com/a/b.git#1234' }, /comes from git\+ssh/],
    [
      'another server',
      { resolved: 'https://packages.example.org/left-pad.tgz' },
      /comes from https:\/\/packages\.example/,
    ],
    ['a server that begins like it', { resolved: 'https://registry.npmjs.org.evil/x.tgz' }, /not from the registry/],
    ['no encryption', { resolved: 'http://registry.npmjs.org/x.tgz' }, /not from the registry/],
    ['a folder', { link: true }, /comes from a folder/],
    ['a script', { hasInstallScript: true }, /has an install script/],
    ['no licence', { license: undefined }, /names no licence/],
    ['a licence that binds', { license: 'GPL-3.0-only' }, /under GPL-3\.0-only/],
    ['one such licence of two that hold together', { license: '(MIT AND AGPL-3.0)' }, /under \(MIT AND AGPL/],
    ['a licence of tools where it is handed on', { license: 'MPL-2.0' }, /under MPL-2\.0/],
  ])('refuses a package with %s', (_, locked, problem) => {
    expect(problemsOf(locked)).toEqual([expect.stringMatching(problem)]);
  });

  it('takes a choice of licences, a tool under a licence of tools, and a script that is known', () => {
    expect(problemsOf({ license: '(MPL-2.0 OR Apache-2.0)' })).toEqual([]);
    expect(problemsOf({ license: 'MPL-2.0', dev: true })).toEqual([]);
    expect(problemsOf({ hasInstallScript: true }, 'node_modules/a/node_modules/esbuild')).toEqual([]);
    expect(problemsOf({ hasInstallScript: true }, 'node_modules/esbuild/node_modules/a')).toHaveLength(1);
  });

  it('wants scripts of packages not to run at all', () => {
    expect(supplyChainProblems({ lockfileVersion: 3, packages: {} }, 'fund=false\n')).toEqual([
      '.npmrc does not say ignore-scripts=true.',
    ]);
  });
});

describe('a bill of materials', () => {
  const hash = '00'.repeat(64);
  const component = (name: string, version = '1.0.0') => ({
    'bom-ref': `${name}@${version}`,
    type: 'library' as const,
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    hashes: [{ alg: 'SHA-512', content: hash }],
  });
  const lock = {
    lockfileVersion: 3,
    packages: { '': {}, 'node_modules/@a/b': { version: '1.0.0', integrity: SHA512 } },
  };
  const metadata = { component: { 'bom-ref': 'assay@9.9.9', name: 'assay', version: '9.9.9' } };
  const problems = (bill: Partial<Bill>) =>
    billProblems({ metadata, components: [component('@a/b')], dependencies: [], ...bill } as Bill, lock);

  it('has each locked package with its hash', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ components: [] })).toEqual(['@a/b 1.0.0 is not in it.']);
    expect(problems({ components: [component('@a/b', '1.0.1')] })).toEqual(['@a/b 1.0.0 is not in it.']);
    const altered = { ...component('@a/b'), hashes: [{ alg: 'SHA-512', content: `01${hash.slice(2)}` }] };
    expect(problems({ components: [altered] })).toEqual(['@a/b 1.0.0 has another hash in it.']);
  });

  it('refers to nothing that is not in it', () => {
    expect(problems({ dependencies: [{ ref: '@a/b@1.0.0', dependsOn: ['c@2.0.0'] }] })).toEqual([
      'it refers to c@2.0.0, which is not in it.',
    ]);
    expect(problems({ dependencies: [{ ref: 'assay@9.9.9', dependsOn: ['@a/b@1.0.0'] }] })).toEqual([]);
    expect(problems({ dependencies: [{ ref: 'assay@9.9.8' }] })).toEqual([
      'it refers to assay@9.9.8, which is not in it.',
    ]);
  });
});
