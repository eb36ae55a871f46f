import { expect, it } from '@jest/globals';
import type { SandboxData } from '../sandbox.js';
import { label } from './container-settings.js';
import type { DockerEngine } from './docker-engine.js';
import { DockerSandboxDriver } from './docker-sandbox-driver.js';

interface Container {
  readonly owners?: string;
  readonly data?: SandboxData;
  readonly role?: 'model' | 'relay';
  readonly instance?: string;
}

/** Lists containers as the engine does: those that have all labels of the filter. */
function engineWith(containers: readonly Container[]): DockerEngine {
  const all = containers.map(({ owners, data = 'readable', role = 'model', instance = 'this' }) => ({
    [label.instance]: instance,
    [label.role]: role,
    [label.data]: data,
    ...(owners !== undefined && { [label.owners]: owners }),
  }));
  const list = (labels: readonly string[]) => {
    const has = (container: Readonly<Record<string, string>>) =>
      labels.every((each) => {
        const [name, value] = each.split('=');
        return value === undefined ? name! in container : container[name!] === value;
      });
    return Promise.resolve(all.filter(has).map((Labels) => ({ Labels })));
  };
  return { list } as unknown as DockerEngine;
}

it('counts the live models of an owner, also of several owners and of other evaluators', async () => {
  const engine = engineWith([
    { owners: 'ada' },
    { owners: 'ben,ada' },
    { owners: 'ada', instance: 'other' },
    { owners: 'adam' },
    { owners: 'cy' },
    {},
    { owners: 'ada', data: 'hidden' },
    { role: 'relay' },
  ]);
  const driver = new DockerSandboxDriver({ instance: 'this', engine });

  expect(await driver.countReadable(['ada'])).toBe(3);
  expect(await driver.countReadable(['ben', 'cy'])).toBe(2);
  expect(await driver.countReadable(['dita'])).toBe(0);
});
