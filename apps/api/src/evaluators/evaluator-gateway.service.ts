import {
  EVALUATOR_PROTOCOLS,
  type EvaluatorHost,
  type EvaluatorRegistration,
  type EvaluatorView,
  MODEL_ARCHITECTURE,
  type PresenceReported,
  type RegisteredEvaluators,
  type RemovedEvaluator,
  type ReportPresence,
  type RunningWork,
} from '@assay/contracts/evaluators';
import {
  EvaluatorRepository,
  type ListedEvaluator,
  type ListedRemoval,
  type TokenHolder,
} from '@assay/evaluation/evaluators';
import { type RunnableOn, RunningWorkRepository } from '@assay/evaluation/runs';
import { isAdministrator, type Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { evaluatorRemoved } from '../auth/evaluator-access.js';
import { GatewayStores } from './gateway-stores.js';

const protocols = [...EVALUATOR_PROTOCOLS];
/** Seconds between two reports of an evaluator. With short leases, they are due as often as renewals. */
const REPORT_SECONDS = 15;

/** Receives the reports of evaluators, and presents what they reported. */
@Injectable()
export class EvaluatorGateway {
  constructor(
    private readonly em: EntityManager,
    private readonly stores: GatewayStores,
  ) {}

  /**
   * Returns all registered and lately removed evaluators to administrators, and to other users their own, with
   * the models that they run now, as far as `principal` may see these.
   */
  async list(principal: Principal): Promise<RegisteredEvaluators> {
    const owner = isAdministrator(principal) ? null : principal.userId;
    const em = this.em.fork();
    const evaluators = await new EvaluatorRepository(em).active(owner);
    const names = evaluators.map(({ name }) => name);
    const running = await new RunningWorkRepository(em).shownTo(principal, names);
    const items = evaluators.map((each) => evaluatorView(each, running.get(each.name) ?? []));
    const removed = await new EvaluatorRepository(em).removed(owner);
    return { items, removed: removed.map(removalView), protocols };
  }

  registration({ id, name, owner }: TokenHolder): EvaluatorRegistration {
    return { id, name, owner, protocols };
  }

  /**
   * Records a report, also if the service does not support its protocol, so that the list of evaluators
   * shows the reason why the evaluator does not work.
   * @throws DomainError `protocol_unsupported`, `evaluator_removed`
   */
  async reportPresence({ id }: TokenHolder, report: ReportPresence): Promise<PresenceReported> {
    const problem = architectureProblem(report.host) ?? report.problem ?? null;
    const at = await new EvaluatorRepository(this.em.fork()).recordPresence(id, { ...report, problem });
    // it was removed after the request was authenticated
    if (!at) throw evaluatorRemoved();
    expectProtocol(report.protocol);
    const { neighbours = [] } = report;
    const { leaseSeconds } = this.stores;
    const gone = await new EvaluatorRepository(this.em.fork()).gone(neighbours, leaseSeconds);
    return { serverTime: at.toISOString(), protocols, reportSeconds: Math.min(REPORT_SECONDS, leaseSeconds / 4), gone };
  }

  /**
   * Returns whether the evaluator reports as often as it should. One that is cut off or stands still
   * cannot receive the response to a request that waits for work: a run would only lose an attempt. It
   * reports and renews four times in a lease, so half a lease has passed without a report before the
   * lease of a run that it held expires.
   */
  isReporting({ id }: TokenHolder): Promise<boolean> {
    return new EvaluatorRepository(this.em.fork()).hasReported(id, this.stores.leaseSeconds / 2);
  }

  /**
   * Returns which models the evaluator can run.
   * @throws DomainError `protocol_unsupported`, `presence_required`
   */
  async runnableOn({ id, ownerId }: TokenHolder, protocol: number): Promise<RunnableOn> {
    expectProtocol(protocol);
    const host = await new EvaluatorRepository(this.em.fork()).hostOf(id);
    if (host) return { owner: ownerId, ...host };
    throw new DomainError(
      'conflict',
      'presence_required',
      'The evaluator has not reported its host yet. Send PUT /api/v1/evaluator/presence first.',
    );
  }
}

/** @throws DomainError `protocol_unsupported` */
export function expectProtocol(protocol: number): void {
  if (protocols.includes(protocol)) return;
  throw new DomainError(
    'conflict',
    'protocol_unsupported',
    `The evaluator uses version ${protocol} of the protocol, and this service supports: ${protocols.join(', ')}. Install the evaluator in the version of the service.`,
  );
}

/** Returns why no model can run on the host. Null: its architecture is that of the models. */
const architectureProblem = ({ architecture }: EvaluatorHost): string | null =>
  architecture === MODEL_ARCHITECTURE ? null : `This host is ${architecture}; models need ${MODEL_ARCHITECTURE}.`;

const evaluatorView = (
  { lastSeenAt, createdAt, ...evaluator }: ListedEvaluator,
  running: readonly RunningWork[],
): EvaluatorView => ({
  ...evaluator,
  running: [...running],
  lastSeenAt: lastSeenAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});

const removalView = ({ removedAt, lastUsedAt, ...evaluator }: ListedRemoval): RemovedEvaluator => ({
  ...evaluator,
  removedAt: removedAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});
