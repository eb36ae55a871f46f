import { MODEL_STATES } from '@assay/contracts/models';
import { type Principal, User } from '@assay/identity';
import { maySee, Model, PUBLIC_MODEL, publicModelSql, visibleOf } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';

const BOTH = [true, false] as const;
const STATES = MODEL_STATES.flatMap((state) =>
  BOTH.flatMap((published) =>
    BOTH.flatMap((withdrawn) =>
      BOTH.flatMap((hasArtifact) => BOTH.map((isScored) => ({ state, published, withdrawn, hasArtifact, isScored }))),
    ),
  ),
);

const VIEWERS = ['nobody', 'builder', 'stranger', 'owner', 'administrator'] as const;
type Viewer = (typeof VIEWERS)[number];

describe('the rules for the visibility of a model', () => {
  let world: EvaluationWorld;
  let task: Task;
  const principals = {} as Record<Viewer, Principal | null>;

  beforeAll(async () => {
    world = await EvaluationWorld.create();
    task = await world.task();
    const { specification } = await world.model(task);
    const em = world.em;
    const principalOf = (user: User): Principal => ({
      ...{ userId: user.id, username: user.username, role: user.role },
      ...{ isVerified: true, credentialId: '', scope: 'read' },
    });
    for (const name of ['builder', 'stranger', 'administrator'] as const) {
      const user = em.create(User, {
        ...{ username: name, usernameKey: name, email: `${name}@example.org`, passwordHash: null },
        role: name === 'administrator' ? name : 'user',
      });
      principals[name] = principalOf(user);
    }
    principals.owner = principalOf(task.owner);
    principals.nobody = null;
    for (const [n, { hasArtifact, isScored, ...facts }] of STATES.entries()) {
      em.create(Model, {
        ...{ task: task.id, owner: principals.builder!.userId, name: `Model ${n}`, kind: 'container' },
        ...{
          description: '',
          card: '',
          trainedOn: [],
          protocol: 'invocations',
          command: null,
          failure: null,
          acceptedAt: null,
        },
        ...facts,
        specification: hasArtifact ? specification!.id : null,
        firstScoredAt: isScored ? new Date() : null,
      });
    }
    await em.flush();
    await em.nativeDelete(Model, { name: 'A model' });
  });
  afterAll(() => world.close());

  const all = () => world.em.find(Model, { task }, { populate: ['task'], orderBy: { id: 'asc' } });
  const namesOf = (models: readonly Pick<Model, 'name'>[]) => models.map(({ name }) => name).toSorted();

  it('have models in all states to decide on', async () => {
    expect(await all()).toHaveLength(MODEL_STATES.length * 2 ** 4);
  });

  it('name the same public models in the program, in a condition of entities and in SQL', async () => {
    const found = namesOf((await all()).filter((model) => maySee(null, model)));
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(STATES.length / 2);
    expect(namesOf(await world.em.find(Model, PUBLIC_MODEL))).toEqual(found);
    const sql = `select m.name from model m where ${publicModelSql('m')}`;
    expect(namesOf(await world.em.execute<{ name: string }[]>(sql))).toEqual(found);
  });

  it.each(VIEWERS)('list the models of a task that may be opened one by one, for %s', async (viewer) => {
    const principal = principals[viewer];
    const opened = namesOf((await all()).filter((model) => maySee(principal, model)));
    expect(namesOf(await world.em.find(Model, visibleOf(task, principal)))).toEqual(opened);
    if (viewer !== 'nobody' && viewer !== 'stranger') expect(opened).toHaveLength(STATES.length);
  });
});
