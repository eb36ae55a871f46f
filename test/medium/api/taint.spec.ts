import { fakeModel, FakeSandboxDriver, type FakeModel } from '@assay/sandbox';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { taint } from '../../../sandboxes/probes/taint.mjs';
import { type ApiAnswer, apiCall } from '../../factories/worlds/api-call.js';
import { runWaiting } from '../../factories/worlds/evaluator-runs.js';
import { publishBoard } from '../../factories/models/published-board.js';
import { savedImageFiles, tarOf } from '../../factories/models/submitted-images.js';
import { requestOf } from './route-requests.js';
import { ROLES, ROUTE_RULES } from './route-rules.js';
import { type RouteWorld, routeWorld } from './route-world.js';
import { UNDOCUMENTED } from './undocumented-routes.js';

/** As probabilities, these digits survive storage as a 32-bit float. */
const [HIDDEN, READABLE] = ['9731519', '8203945'];
const FORMS = [`marker${HIDDEN}`, `0.${HIDDEN}`];
const common = { inputs: [{ name: 'text', type: 'text' }], quota: { perDay: 100, total: 100 }, slices: ['source'] };
const TASKS = {
  whispers: {
    ...common,
    name: 'Whispers',
    output: { name: 'reply', type: 'text' },
    performance: 'exact_match',
    perturbations: { robustness: ['case'], sample: 10 },
  },
  tones: {
    ...common,
    name: 'Tones',
    output: { name: 'label', type: 'label', labels: ['even', 'odd'] },
    performance: 'accuracy',
    metrics: ['brier'],
  },
} as const;
type Slug = keyof typeof TASKS;

/** The actions of the models once they have seen hidden data. `start`: they fail to start. */
const DEEDS = {
  whispers: ['answer', 'status', 'start'],
  tones: ['answer', 'exit', 'encode', 'label'],
} as const;
type Deed = (typeof DEEDS)[Slug][number];

const lines = (marker: string): string =>
  Array.from({ length: 20 }, (_, n) =>
    JSON.stringify({
      id: `example-${n}`,
      text: `listen to marker${marker} and to the wind number ${n}`,
      reply: `reply ${n}`,
      label: n % 2 === 0 ? 'even' : 'odd',
      source: n < 3 ? 'rare' : 'common',
    }),
  ).join('\n');

/** The probe `taint` as a fake model. Each container has its own memory. */
function tainting(slug: Slug, deed: Deed): FakeModel {
  const memory = taint();
  const kind = slug === 'whispers' ? 'text' : 'label';
  const answers = fakeModel.answers((request) => {
    const { instances } = request as { instances: { text: string }[] };
    memory.see(instances);
    const isOdd = memory.isHidden && deed === 'label';
    return { predictions: instances.map((each) => (isOdd ? memory.text : memory.prediction(kind, each))) };
  });
  return {
    start: ({ data }) => {
      if (data !== 'hidden' || deed !== 'start') return 0;
      memory.see(`found marker${HIDDEN} on the disk`);
      return { kind: 'exited', code: 19 };
    },
    get output() {
      return `I have seen ${memory.text}\n`;
    },
    reply: async (body, signal) => {
      const answer = await answers.reply(body, signal);
      if (!memory.isHidden) return answer;
      if (deed === 'exit') return { kind: 'exited', code: 19 };
      if (deed === 'status') return { kind: 'status', status: 519, body: memory.text };
      if (deed === 'encode') return { kind: 'encoded', encoding: memory.text };
      return answer;
    },
  };
}

describe('what a model has seen of hidden data', () => {
  Logger.overrideLogger(false);
  let all: RouteWorld;
  let world: RouteWorld['world'];
  const models = new Map<string, string>();
  let followed: Promise<string>;

  beforeAll(async () => {
    all = await routeWorld();
    ({ world } = all);
    const driver = new FakeSandboxDriver((digest) => {
      const [slug, deed] = (scripts.get(digest) ?? '').split(' ') as [Slug, Deed];
      return tainting(slug, deed);
    });
    const scripts = new Map<string, string>();
    for (const slug of Object.keys(TASKS) as Slug[]) {
      await all.as('owner', 'POST', '/tasks', { slug, ...TASKS[slug] });
      for (const [name, visibility, marker] of [
        ['open', 'public', READABLE],
        ['hidden', 'hidden', HIDDEN],
      ] as const) {
        const path = `/tasks/${slug}/datasets/${name}?role=static&visibility=${visibility}`;
        const request = { token: all.tokens.owner, type: 'application/x-ndjson', body: lines(marker) };
        expect((await world.call('PUT', path, request)).status).toBe(201);
      }
      for (const deed of DEEDS[slug]) scripts.set(await submitted(slug, deed), `${slug} ${deed}`);
    }
    followed = apiCall(`${world.url}/api/v1/models/${models.get('whispers answer')}/events`, 'GET').then(textOf);
    await runWaiting(world, driver);
    for (const slug of Object.keys(TASKS)) await publishBoard(world, slug);
  }, 300_000);
  afterAll(() => all.close());

  /**
   * Submits a model.
   * @returns The digest of its artifact.
   */
  async function submitted(slug: Slug, deed: Deed): Promise<string> {
    const card = { name: `Model ${deed}`, kind: 'container', publish: true };
    const { id } = (await all.as('builder', 'POST', `/tasks/${slug}/models`, card)).body as { id: string };
    models.set(`${slug} ${deed}`, id);
    const layer = await tarOf([{ name: 'deed', content: `${slug} ${deed}` }]);
    const body = await tarOf(savedImageFiles({ layers: [{ tar: layer }] }));
    const type = 'application/octet-stream';
    const put = await world.call('PUT', `/models/${id}/artifact`, { token: all.tokens.builder, type, body });
    expect(put.status).toBe(202);
    return (put.body as { artifact: { digest: string } }).artifact.digest;
  }

  /**
   * Returns the path of every GET route, with the tasks and models of this spec in the parameters,
   * or with the values of the rules.
   */
  function routes(): string[] {
    const gets = all.operations.filter(({ method }) => method === 'GET');
    const isOwn = ({ path }: { readonly path: string }) => /^\/(tasks|models)\/\{/.test(path);
    const ruled = gets
      .filter((operation) => !isOwn(operation))
      .flatMap((operation) =>
        ROUTE_RULES[operation.route]!.map((rule) => `/api/v1${requestOf(all, operation, rule, 'it').path}`),
      );
    const values: Readonly<Record<string, readonly string[]>> = {
      slug: Object.keys(TASKS),
      id: [...models.values()],
      name: ['hidden', 'open'],
      version: ['1'],
      number: ['1'],
      kind: ['robustness'],
      part: ['test'],
    };
    const filled = (path: string): string[] => {
      const [hole, name] = /\{(\w+)\}/.exec(path) ?? [];
      if (hole === undefined) return [path];
      // below a task, `id` identifies something other than a model
      const known = name === 'id' && path.startsWith('/tasks') ? undefined : values[name!];
      return (known ?? ['none']).flatMap((each) => filled(path.replace(hole, each)));
    };
    const own = gets.filter(isOwn).flatMap(({ path }) => filled(path));
    const ids = (slug: Slug) => DEEDS[slug].map((deed) => models.get(`${slug} ${deed}`)!);
    const asked = (Object.keys(TASKS) as Slug[]).flatMap((slug) => {
      const [a, b] = ids(slug);
      const pair = `a=${a}&b=${b}`;
      return [
        `/tasks/${slug}/compare?${pair}`,
        `/tasks/${slug}/compare?${pair}&format=csv`,
        `/tasks/${slug}/compare?models=${ids(slug).join(',')}`,
        `/tasks/${slug}/leaderboard?format=csv`,
        `/tasks/${slug}/leaderboard?explain=true`,
        ...['open', 'hidden'].flatMap((name) => [
          `/tasks/${slug}/compare?a=${a}&b=${a}&examples=true&dataset=${name}`,
          `/tasks/${slug}/compare/examples?a=${a}&b=${a}&dataset=${name}&only=both_wrong`,
          `/models/${a}/datasets/${name}/examples?limit=100&perturbation=robustness`,
          `/models/${a}/datasets/${name}/confusion?perturbation=robustness`,
        ]),
      ];
    });
    const pages = Object.values(UNDOCUMENTED).flatMap(({ path }) => (path.startsWith('/api/docs') ? [] : [path]));
    return [...new Set([...ruled, ...[...own, ...asked].map((path) => `/api/v1${path}`), ...pages])];
  }

  async function read(token: string | undefined, of = /./): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    const waiting = routes().filter((route) => of.test(route));
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let route = waiting.pop(); route !== undefined; route = waiting.pop()) {
          texts.set(route, textOf(await apiCall(`${world.url}${route}`, 'GET', { token })));
        }
      }),
    );
    return texts;
  }

  it('comes to the verdicts that it meant to come to', async () => {
    const verdicts: Record<string, string> = {};
    for (const [name, id] of models) {
      const { body } = await world.call('GET', `/models/${id}`);
      verdicts[name] = body.failure?.code ?? body.state;
    }
    expect(verdicts).toEqual({
      'whispers answer': 'scored',
      'whispers status': 'http_status',
      'whispers start': 'model_exited',
      'tones answer': 'scored',
      'tones exit': 'model_exited',
      'tones encode': 'response_encoded',
      'tones label': 'unknown_label',
    });
  });

  it.each(ROLES.filter((role) => role !== 'owner' && role !== 'administrator'))(
    'is found nowhere by %s',
    async (role) => {
      const texts = await read(all.tokens[role]);
      const found = [...texts].flatMap(([route, text]) =>
        [...FORMS, 'code 19', 'status 519'].filter((form) => text.includes(form)).map((form) => `${route}: ${form}`),
      );
      expect(found).toEqual([]);
      expect(texts.size).toBeGreaterThan(180);
    },
  );

  it('is found in no event of a run', async () => {
    const events = await followed;
    expect(events).toContain('event: score');
    for (const form of FORMS) expect(events).not.toContain(form);
  });

  it('is read by the owner of the task in the answers, so that it would have been found elsewhere', async () => {
    const answers = [...(await read(all.tokens.owner, /\/datasets\/hidden\/examples/)).values()];
    for (const form of FORMS) expect(answers.some((text) => text.includes(form))).toBe(true);
    const logs = [...(await read(all.tokens.builder, /\/logs$/)).values()];
    expect(logs.filter((text) => text.includes(`marker${READABLE}`))).toHaveLength(models.size);
  });
});

const textOf = ({ body }: ApiAnswer): string => (typeof body === 'string' ? body : JSON.stringify(body));
