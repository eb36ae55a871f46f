import {
  EVALUATION_STATES,
  type EvaluationState,
  failure,
  MODEL_STATES,
  type ModelState,
} from '@assay/contracts/models';
import { type DeploymentState } from '@assay/contracts/serving';
import type { TransitionTable } from '@assay/kernel';
import { Model, ModelRepository, MODEL_TRANSITIONS, RunSpecification } from '@assay/submissions';
import {
  type Artifact,
  ArtifactRepository,
  type ArtifactState,
  ARTIFACT_TRANSITIONS,
} from '@assay/submissions/artifacts';
import { Round, Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { LEASED_DEPLOYMENT_STATES, Deployment, DEPLOYMENT_TRANSITIONS } from '../../libs/serving/src/deployment.js';
import { type FencedDeployment, DeploymentRepository } from '../../libs/serving/src/deployment.repository.js';
import { AssignmentRepository } from '../../libs/collection/src/annotating/assignment.repository.js';
import {
  Assignment,
  type AssignmentState,
  ASSIGNMENT_TRANSITIONS,
} from '../../libs/collection/src/annotating/assignment.js';
import { Context } from '../../libs/collection/src/rounds/context.js';
import type { Cells } from '../../libs/evaluation/src/evaluations/active-datasets.js';
import {
  type ComputedScore,
  EvaluationRepository,
} from '../../libs/evaluation/src/evaluations/evaluation.repository.js';
import { Evaluation, EVALUATION_TRANSITIONS } from '../../libs/evaluation/src/evaluations/evaluation.js';
import { type FencedRun, RunRepository } from '../../libs/evaluation/src/runs/run.repository.js';
import { Run, RUN_STATES, RUN_TRANSITIONS, type RunState } from '../../libs/evaluation/src/runs/run.js';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';

const WHY = failure('deadline_passed', 'The run did not finish by its deadline.');
const DEPLOYMENT_STATES = Object.keys(DEPLOYMENT_TRANSITIONS) as DeploymentState[];
const NO_LOG = { log: null, logSeen: [], withheldBytes: null };
const CLAIM = { owner: 'east', leaseSeconds: 60, deadlineSeconds: 600 };
const SCORE: ComputedScore = {
  metrics: {},
  slices: {},
  sliceSpreads: {},
  calibration: null,
  perturbed: null,
  scoringKey: 'key',
  signatures: {},
  labelDiffers: null,
  resamples: null,
};

/** All pairs of a state and a method, and the state that the table allows the method to lead to. */
function cases<State extends string, Method extends { readonly name: string; readonly to: State }>(
  states: readonly State[],
  table: TransitionTable<State>,
  methods: readonly Method[],
  from: (method: Method) => readonly State[] = () => states,
): [string, State, State, Method][] {
  return methods.flatMap((method) =>
    states.map((state): [string, State, State, Method] => {
      const isLegal = table[state].includes(method.to) && from(method).includes(state);
      return [method.name, state, isLegal ? method.to : state, method];
    }),
  );
}

describe('transitions in the database', () => {
  let world: EvaluationWorld;
  let specification: string;
  let task: string;
  let owner: string;
  let version: string;
  let model: string;

  beforeAll(async () => {
    world = await EvaluationWorld.create();
    const owned = await world.task();
    version = (await world.dataset(owned, 'static')).id;
    task = owned.id;
    owner = owned.owner.id;
    const submitted = await world.model(owned);
    model = submitted.id;
    specification = submitted.specification!.id;
  });
  afterAll(() => world.close());

  describe('of a run', () => {
    const HELD = 7;

    interface RunMethod {
      readonly name: string;
      readonly to: RunState;
      /** A writer that holds the lease, as against one that takes the run from its holder. */
      readonly isFenced: boolean;
      readonly call: (runs: RunRepository, run: FencedRun) => Promise<unknown>;
    }
    const end = (to: 'done' | 'failed' | 'cancelled'): RunMethod => ({
      name: `end as ${to}`,
      to,
      isFenced: true,
      call: (runs, run) => runs.end(run, { state: to, failure: null, ...NO_LOG }),
    });
    const METHODS: readonly RunMethod[] = [
      {
        name: 'claim',
        to: 'leased',
        isFenced: false,
        call: (runs, { runId }) => runs.claim(runId, 'admission', CLAIM),
      },
      {
        name: 'requeue',
        to: 'queued',
        isFenced: true,
        call: (runs, run) => runs.requeue(run, { stage: 'admission', attempts: 0 }),
      },
      { name: 'requeueExpired', to: 'queued', isFenced: false, call: (runs, { runId }) => runs.requeueExpired(runId) },
      ...(['done', 'failed', 'cancelled'] as const).map(end),
      { name: 'fail', to: 'failed', isFenced: false, call: (runs, { runId }) => runs.fail(runId, WHY) },
      { name: 'cancel', to: 'cancelled', isFenced: false, call: (runs, { runId }) => runs.cancel(runId) },
    ];

    /** A run in this state; the lease of a leased one has expired. */
    async function runIn(em: EntityManager, state: RunState): Promise<Run> {
      const run = em.create(Run, {
        specification,
        task,
        owner,
        stage: 'admission',
        state,
        fence: HELD,
        deadline: new Date(),
        ...(state === 'leased' && { leaseOwner: 'west', leaseUntil: new Date(0) }),
      });
      await em.flush();
      return run;
    }
    const leaveOnly = (isFenced: boolean): readonly RunState[] => (isFenced ? ['leased'] : RUN_STATES);

    it.each(cases(RUN_STATES, RUN_TRANSITIONS, METHODS, ({ isFenced }) => leaveOnly(isFenced)))(
      '%s: %s becomes %s',
      async (_, from, to, { call }) => {
        const { em } = world;
        const run = await runIn(em, from);
        await call(new RunRepository(em), { runId: run.id, fence: HELD });
        expect((await em.refresh(run))!.state).toBe(to);
      },
    );

    it.each(METHODS.filter(({ isFenced }) => isFenced).map((method) => [method.name, method] as const))(
      '%s: a writer with an older fence changes nothing, and learns so',
      async (_, { call }) => {
        const { em } = world;
        const run = await runIn(em, 'leased');
        expect(await call(new RunRepository(em), { runId: run.id, fence: HELD - 1 })).toBe(false);
        expect(await em.refresh(run)).toMatchObject({ state: 'leased', leaseOwner: 'west', fence: HELD });
      },
    );

    it.each(['fail', 'cancel'] as const)('%s: the holder can no longer write', async (name) => {
      const { em } = world;
      const runs = new RunRepository(em);
      const run = await runIn(em, 'queued');
      const { fence } = (await runs.claim(run.id, 'admission', CLAIM))!;
      await METHODS.find((method) => method.name === name)!.call(runs, { runId: run.id, fence });
      expect(await runs.extend({ runId: run.id, fence }, 60)).toBe(false);
      expect(await em.refresh(run)).toMatchObject({ fence: fence + 1, leaseOwner: null, leaseUntil: null });
    });

    it('covers every transition of the table', () => {
      const targets = new Set(Object.values(RUN_TRANSITIONS).flat());
      expect(new Set(METHODS.map(({ to }) => to))).toEqual(targets);
    });
  });

  describe('of a deployment', () => {
    const HELD = 7;
    const PROGRESS = { step: 'image', since: new Date(0).toISOString(), message: 'The model is brought.' } as const;
    const LIVE = DEPLOYMENT_STATES.filter((state) => DEPLOYMENT_TRANSITIONS[state].length > 0);

    interface DeploymentMethod {
      readonly name: string;
      readonly to: DeploymentState;
      /** The states that this method changes; the table may allow more. */
      readonly from: readonly DeploymentState[];
      readonly call: (deployments: DeploymentRepository, deployment: FencedDeployment) => Promise<unknown>;
    }
    const FENCED: readonly DeploymentMethod[] = [
      {
        name: 'setReady',
        to: 'ready',
        from: ['starting'],
        call: (deployments, deployment) => deployments.setReady(deployment, false),
      },
      {
        name: 'requeue',
        to: 'wanted',
        from: LEASED_DEPLOYMENT_STATES,
        call: (deployments, deployment) => deployments.requeue(deployment, { seconds: 0, progress: PROGRESS }),
      },
      {
        name: 'fail',
        to: 'failed',
        from: LEASED_DEPLOYMENT_STATES,
        call: (deployments, deployment) => deployments.fail(deployment, WHY),
      },
    ];
    const METHODS: readonly DeploymentMethod[] = [
      ...FENCED,
      {
        name: 'claim',
        to: 'starting',
        from: LIVE,
        call: (deployments, { deploymentId }) =>
          deployments.claim(deploymentId, { owner: 'east', leaseSeconds: 60, progress: PROGRESS }),
      },
      {
        name: 'requeueExpired',
        to: 'wanted',
        from: LEASED_DEPLOYMENT_STATES,
        call: (deployments) => deployments.requeueExpired(PROGRESS),
      },
      { name: 'stopUnwanted', to: 'stopped', from: LIVE, call: (deployments) => deployments.stopUnwanted([]) },
    ];

    /** The only deployment, in this state; the lease of a leased one has expired. No loop needs it. */
    async function deploymentIn(em: EntityManager, state: DeploymentState): Promise<Deployment> {
      await em.nativeDelete(Deployment, {});
      const deployment = em.create(Deployment, {
        ...{ task, model, specification, state, fence: HELD },
        ...((LEASED_DEPLOYMENT_STATES as readonly DeploymentState[]).includes(state) && {
          evaluator: 'west',
          leaseUntil: new Date(0),
        }),
      });
      await em.flush();
      return deployment;
    }

    it.each(cases(DEPLOYMENT_STATES, DEPLOYMENT_TRANSITIONS, METHODS, ({ from }) => from))(
      '%s: %s becomes %s',
      async (_, from, to, { call }) => {
        const { em } = world;
        const deployment = await deploymentIn(em, from);
        await call(new DeploymentRepository(em), { deploymentId: deployment.id, fence: HELD });
        expect((await em.refresh(deployment))!.state).toBe(to);
      },
    );

    it.each(FENCED.map((method) => [method.name, method] as const))(
      '%s: a writer with an older fence changes nothing, and learns so',
      async (_, { call }) => {
        const { em } = world;
        const deployment = await deploymentIn(em, 'starting');
        expect(await call(new DeploymentRepository(em), { deploymentId: deployment.id, fence: HELD - 1 })).toBe(false);
        expect(await em.refresh(deployment)).toMatchObject({ state: 'starting', evaluator: 'west' });
      },
    );

    it('covers every transition of the table', () => {
      expect(new Set(METHODS.map(({ to }) => to))).toEqual(new Set(Object.values(DEPLOYMENT_TRANSITIONS).flat()));
    });
  });

  describe('of a model', () => {
    const DERIVED = MODEL_TRANSITIONS.queued;
    const METHODS = [
      ...DERIVED.map((to) => ({
        name: `settle as ${to}`,
        to: to as ModelState,
        from: MODEL_STATES.filter((state) => state !== 'cancelled'),
        call: (models: ModelRepository) => models.settle({ specification, task }, { state: to, failure: null }),
      })),
      {
        name: 'requeue',
        to: 'queued' as const,
        from: MODEL_STATES,
        call: (models: ModelRepository) => models.requeue(model),
      },
    ];

    it.each(cases<ModelState, (typeof METHODS)[number]>(MODEL_STATES, MODEL_TRANSITIONS, METHODS, ({ from }) => from))(
      '%s: %s becomes %s',
      async (_, from, to, { call }) => {
        const { em } = world;
        const stored = await em.findOneOrFail(Model, model);
        stored.state = from;
        await em.flush();
        const changed = await call(new ModelRepository(em));
        expect((await em.refresh(stored))!.state).toBe(to);
        if (Array.isArray(changed)) expect(changed).toEqual(from === to ? [] : [model]);
      },
    );
  });

  describe('of an artifact', () => {
    const STATES = Object.keys(ARTIFACT_TRANSITIONS) as ArtifactState[];
    interface ArtifactMethod {
      readonly name: string;
      readonly to: ArtifactState;
      readonly from: readonly ArtifactState[];
      readonly call: (artifacts: ArtifactRepository, artifact: Artifact) => unknown;
    }
    const METHODS: readonly ArtifactMethod[] = [
      { name: 'admit', to: 'admitted', from: STATES, call: (artifacts) => artifacts.admit(specification, null) },
      {
        name: 'refuse',
        to: 'refused',
        from: ['received', 'refused'],
        call: (artifacts) => artifacts.refuse(specification, WHY),
      },
      {
        name: 'forgetRefusal',
        to: 'received',
        from: ['refused'],
        call: (artifacts, { id }) => artifacts.forgetRefusal(id),
      },
    ];

    async function artifactIn(em: EntityManager, state: ArtifactState): Promise<Artifact> {
      const { artifact } = await em.findOneOrFail(RunSpecification, specification, { populate: ['artifact'] });
      Object.assign(artifact, { state, failure: state === 'refused' ? WHY : null });
      await em.flush();
      return artifact;
    }

    it.each(cases(STATES, ARTIFACT_TRANSITIONS, METHODS, ({ from }) => from))(
      '%s: %s becomes %s',
      async (_, from, to, { call }) => {
        const { em } = world;
        const artifact = await artifactIn(em, from);
        await call(new ArtifactRepository(em), artifact);
        expect(await em.refresh(artifact)).toMatchObject({ state: to, failure: to === 'refused' ? WHY : null });
      },
    );

    it('covers every transition of the table', () => {
      expect(new Set(METHODS.map(({ to }) => to))).toEqual(new Set(Object.values(ARTIFACT_TRANSITIONS).flat()));
    });
  });

  describe('of an assignment', () => {
    const STATES = Object.keys(ASSIGNMENT_TRANSITIONS) as AssignmentState[];
    const NOBODY = '01890000-0000-7000-8000-000000000002';
    interface AssignmentMethod {
      readonly name: string;
      readonly to: AssignmentState;
      readonly from: readonly AssignmentState[];
      readonly call: (assignments: AssignmentRepository, assignment: Assignment) => unknown;
    }
    const METHODS: readonly AssignmentMethod[] = [
      { name: 'send', to: 'sent', from: STATES, call: (all, { id }) => all.send(id) },
      { name: 'replace', to: 'passed', from: ['open'], call: (all, { id }) => all.replace(id) },
      { name: 'pass', to: 'passed', from: STATES, call: (all, { context, user }) => all.pass(context.id, user.id) },
      {
        name: 'expire',
        to: 'expired',
        from: ['open'],
        call: (all, { context }) => all.expire(context.id, NOBODY, new Date()),
      },
    ];
    let context: Context;

    beforeAll(async () => {
      const { em } = world;
      const round = em.create(Round, { task, number: 1, state: 'open', imported: false });
      context = em.create(Context, { round, externalId: 'one', content: {}, draw: 0.5 });
      await em.flush();
    });

    async function assignmentIn(em: EntityManager, state: AssignmentState): Promise<Assignment> {
      await em.nativeDelete(Assignment, { context });
      const { owner } = await em.findOneOrFail(Task, task);
      const assignment = em.create(Assignment, {
        ...{ round: context.round, context, user: owner, state, goal: 'even' },
        expiresAt: new Date(0),
      });
      await em.flush();
      return assignment;
    }

    it.each(cases(STATES, ASSIGNMENT_TRANSITIONS, METHODS, ({ from }) => from))(
      '%s: %s becomes %s',
      async (_, from, to, { call }) => {
        const { em } = world;
        const assignment = await assignmentIn(em, from);
        await call(new AssignmentRepository(em), assignment);
        expect((await em.refresh(assignment))!.state).toBe(to);
      },
    );

    it.each(STATES)(
      'a label that a person writes for counts as shown while it is %s, if it is open or sent',
      async (state) => {
        await assignmentIn(world.em, state);
        const shown = await new AssignmentRepository(world.em).goalsShown(context.round.id);
        expect([...shown]).toEqual(state === 'open' || state === 'sent' ? [['even', 1]] : []);
      },
    );

    it('covers every transition of the table', () => {
      expect(new Set(METHODS.map(({ to }) => to))).toEqual(new Set(Object.values(ASSIGNMENT_TRANSITIONS).flat()));
    });
  });

  describe('of an evaluation', () => {
    const RUN = '01890000-0000-7000-8000-000000000001';

    interface EvaluationMethod {
      readonly name: string;
      readonly to: EvaluationState;
      /** The states that this method changes; the table may allow more. */
      readonly from: readonly EvaluationState[];
      readonly call: (evaluations: EvaluationRepository, cell: Evaluation, cells: Cells) => Promise<unknown>;
    }
    const OPEN = ['queued', 'running'] as const;
    const of = ({ id }: Evaluation) => ({ evaluation: id, run: RUN });
    const METHODS: readonly EvaluationMethod[] = [
      { name: 'start', to: 'running', from: ['queued'], call: (all, cell) => all.start(of(cell)) },
      { name: 'release', to: 'queued', from: ['running'], call: (all) => all.release(RUN) },
      { name: 'end as failed', to: 'failed', from: OPEN, call: (all, cell) => all.end(of(cell), 'failed', WHY) },
      {
        name: 'end as cancelled',
        to: 'cancelled',
        from: OPEN,
        call: (all, cell) => all.end(of(cell), 'cancelled', WHY),
      },
      {
        name: 'endMissing',
        to: 'failed',
        from: OPEN,
        call: (all, _, cells) => all.endMissing(cells, { state: 'failed', failure: WHY, run: RUN }),
      },
      {
        name: 'endMissing of queued ones',
        to: 'failed',
        from: ['queued'],
        call: (all, _, cells) => all.endMissing(cells, { state: 'failed', failure: WHY, from: ['queued'] }),
      },
      {
        name: 'requeue',
        to: 'queued',
        from: ['failed', 'cancelled'],
        call: (all, _, cells) => all.requeue(cells, 'all'),
      },
      { name: 'failScore', to: 'failed', from: EVALUATION_STATES, call: (all, cell) => all.failScore(cell, WHY) },
    ];

    /** The only evaluation of the specification, in this state. */
    async function cellIn(em: EntityManager, state: EvaluationState, given: Partial<Evaluation> = {}) {
      await em.nativeDelete(Evaluation, { specification });
      const cell = em.create(Evaluation, {
        specification,
        datasetVersion: version,
        state,
        run: RUN,
        ...(state === 'failed' && { failure: WHY }),
        ...given,
      });
      await em.flush();
      return cell;
    }
    const cells = (): Cells => ({ specification, versions: [version] });

    it.each(cases(EVALUATION_STATES, EVALUATION_TRANSITIONS, METHODS, ({ from }) => from))(
      '%s: %s becomes %s',
      async (_, from, to, { call }) => {
        const { em } = world;
        const cell = await cellIn(em, from);
        await call(new EvaluationRepository(em), cell, cells());
        expect((await em.refresh(cell))!.state).toBe(to);
      },
    );

    it.each(EVALUATION_STATES.map((state) => [state] as const))(
      'score: %s is scored if the table allows it and nothing has changed',
      async (state) => {
        const { em } = world;
        const predictions = 'a'.repeat(64);
        const cell = await cellIn(em, state, { predictions });
        const evaluations = new EvaluationRepository(em);
        expect(await evaluations.score({ id: cell.id, state, predictions, scoringKey: 'another' }, SCORE)).toBe(false);
        const isLegal = (EVALUATION_TRANSITIONS[state] as readonly EvaluationState[]).includes('scored');
        expect(await evaluations.score(cell, SCORE)).toBe(isLegal);
        expect((await em.refresh(cell))!.state).toBe(isLegal ? 'scored' : state);
      },
    );

    it.each(EVALUATION_STATES.map((state) => [state] as const))(
      'answer: %s takes answers once if it is open',
      async (state) => {
        const { em } = world;
        const cell = await cellIn(em, state);
        const evaluations = new EvaluationRepository(em);
        const answers = { predictions: 'a'.repeat(64), invalid: 0, measures: null, seen: null, timed: [3] };
        const isOpen = (OPEN as readonly EvaluationState[]).includes(state);
        expect(await evaluations.answer(of(cell), answers)).toBe(isOpen);
        expect(await evaluations.answer(of(cell), { ...answers, predictions: 'b'.repeat(64) })).toBe(false);
        expect((await em.refresh(cell))!).toMatchObject({ state, predictions: isOpen ? answers.predictions : null });
      },
    );

    it('releases a cell that is not answered only', async () => {
      const { em } = world;
      const cell = await cellIn(em, 'running', { predictions: 'a'.repeat(64) });
      await new EvaluationRepository(em).release(RUN);
      expect((await em.refresh(cell))!.state).toBe('running');
    });

    it.each([
      ['running', null],
      ['scored', 'a'.repeat(64)],
    ] as const)('failScore: %s has the predictions %s afterwards', async (state, predictions) => {
      const { em } = world;
      const cell = await cellIn(em, state, { predictions: 'a'.repeat(64) });
      await new EvaluationRepository(em).failScore(cell, WHY);
      expect((await em.refresh(cell))!).toMatchObject({ state: 'failed', predictions });
    });

    it('requeues a failed cell only if another run may help, unless all are wanted', async () => {
      const { em } = world;
      const evaluations = new EvaluationRepository(em);
      const requeued = async (code: Parameters<typeof failure>[0], which: 'all' | 'curable') => {
        await cellIn(em, 'failed', { failure: failure(code, 'It failed.') });
        return evaluations.requeue(cells(), which);
      };
      expect(await requeued('model_exited', 'curable')).toBe(0);
      expect(await requeued('model_exited', 'all')).toBe(1);
      expect(await requeued('storage_quota', 'curable')).toBe(1);
      expect(await requeued('platform_failed', 'curable')).toBe(1);
      await cellIn(em, 'cancelled');
      expect(await evaluations.requeue(cells(), 'curable')).toBe(1);
    });

    it('changes no cell where there is no dataset version', async () => {
      const { em } = world;
      const cell = await cellIn(em, 'failed');
      const none = { specification, versions: [] };
      const evaluations = new EvaluationRepository(em);
      await evaluations.create(none);
      expect(await evaluations.requeue(none, 'all')).toBe(0);
      expect(await evaluations.countWaiting(none)).toEqual({ missing: 0, unscored: 0 });
      expect((await em.refresh(cell))!.state).toBe('failed');
    });
  });
});
