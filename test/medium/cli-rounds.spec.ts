import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Model } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotationFactory } from '../factories/collection/annotations.js';
import { apiWorld, type ApiWorld } from '../factories/worlds/api-world.js';
import { cliIn, type Ended } from '../factories/services/cli-runner.js';

describe('assay and rounds', () => {
  let world: ApiWorld;
  let folder: string;
  let assay: (...words: readonly string[]) => Promise<Ended>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'assay-rounds-'));
    assay = cliIn(folder);
    world = await apiWorld();
    await assay('login', '--url', world.url, '--token', join(world.home, 'admin-token'));
    await done('task', 'create', '--ready', 'nli');
    await model('Small BERT');
    await model('Twin');
    await model('Twin');
    const context = (id: number) => JSON.stringify({ id: `c${id}`, context: `Passage ${id}.`, tags: ['short'] });
    writeFileSync(join(folder, 'contexts.jsonl'), [1, 2, 3].map(context).join('\n'));
  }, 300_000);

  afterAll(async () => {
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Creates a model that can be a target model. */
  async function model(name: string): Promise<void> {
    const body = { name, kind: 'container' };
    const made = await world.call('POST', '/tasks/nli/models', { token: world.admin, body });
    await world.call('PUT', `/models/${made.body.id}/artifact`, { token: world.admin, body: made.body.id as string });
    const em = world.orm.em.fork();
    const found = await em.findOneOrFail(Model, made.body.id as string, { populate: ['specification.artifact'] });
    await em.nativeUpdate(Artifact, found.specification!.artifact.id, { state: 'admitted' });
  }

  async function done(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await assay(...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  }

  it('opens one, gives it contexts, shows and closes it', async () => {
    expect(await done('round', 'list', 'nli')).toBe('No rounds yet. Open one: assay round open nli\n');
    expect((await assay('round', 'status', 'nli')).code).toBe(3);

    const opened = await done(
      'round',
      'open',
      'nli',
      '--models',
      'Small BERT',
      '--examples',
      '200',
      '--until',
      '2099-12-24',
    );
    expect(opened).toContain('Opened round 1.');
    expect(opened).toContain('closes at 200 examples, or at 2099-12-24 00:00 UTC');
    expect(opened).toContain('Small BERT (chosen manually) since ');
    expect(opened).toContain('assay contexts put nli 1 FILE');

    const contexts = ['contexts', 'put', 'nli', '1', 'contexts.jsonl'];
    expect(await done(...contexts)).toBe('Round 1 of nli: 3 contexts added, 3 in all.\n');
    expect(await done(...contexts)).toBe('Round 1 of nli: 0 contexts added, 3 in all. 3 already existed.\n');

    const line = { context: 'Passage 1.', hypothesis: 'It is long.', label: 'neutral', contextId: 'c1' };
    writeFileSync(join(folder, 'known.jsonl'), JSON.stringify(line));
    const examples = ['examples', 'put', 'nli', '1', 'known.jsonl'];
    expect(await done(...examples, '--check')).toMatch(/^Round 1 of nli: 1 check added, /);
    expect((await assay('examples', 'put', 'nli', '2', 'known.jsonl')).code).toBe(3);

    await world.user('ada');
    const { written } = await annotationFactory(world.orm, 'nli');
    await written({ by: 'ada', authorLabel: ['neutral'], label: ['neutral'], answeredAt: new Date() });
    const status = await done('round', 'status', 'nli');
    expect(status).toContain('1 example by 1 person for 3 contexts\n  fooled 1\n');

    expect(await done('export', 'nli', '--round', '1', '-o', 'out.jsonl')).toBe('Wrote out.jsonl.\n');
    const lines = readFileSync(join(folder, 'out.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(await done('export', 'nli')).toBe(readFileSync(join(folder, 'out.jsonl'), 'utf8'));
    expect(await done('export', 'nli', '--outcome', 'validated')).toBe('');

    const closed = JSON.parse(await done('round', 'close', 'nli', '--json')) as object;
    expect(closed).toMatchObject({ number: 1, state: 'closing', counts: { examples: 1 } });
    expect(await done('round', 'list', 'nli')).toMatch(/^ +1 +closing .* Small BERT$/m);

    const late = await assay(...contexts, '--json');
    expect(late.code).toBe(3);
    expect(JSON.parse(late.stdout)).toMatchObject({ error: { code: 'round_closed' } });
  });

  it('says what is wrong with a command before anything is asked of the server', async () => {
    const open = ['round', 'open', 'nli'];
    for (const wrong of [
      ['--models', 'Nobody'],
      ['--models', 'Twin'],
      ['--examples', '0'],
      ['--until', 'soon'],
      ['--saturation', '2'],
      ['--shares', '1,0'],
      ['--conditions', 'nowhere.json'],
    ]) {
      expect({ wrong, code: (await assay(...open, ...wrong)).code }).toEqual({ wrong, code: 2 });
    }
    expect((await assay('round', 'close', 'nli', 'x')).code).toBe(2);
    expect((await assay('contexts', 'put', 'nli', '1', 'nowhere.jsonl')).code).toBe(2);
  });
});
