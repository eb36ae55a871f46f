import {
  EVALUATOR_PROTOCOLS,
  type EvaluatorRegistration,
  type EvaluatorView,
  type PresenceReported,
  type RegisteredEvaluators,
  type ReportPresence,
} from '@assay/contracts/evaluators';
import { EvaluatorRepository, type ListedEvaluator, type TokenHolder } from '@assay/evaluation/evaluators';
import { isAdministrator, type Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { evaluatorRemoved } from '../auth/evaluator-access.js';

const protocols = [...EVALUATOR_PROTOCOLS];

/** Receives the reports of evaluators, and presents what they reported. */
@Injectable()
export class EvaluatorGateway {
  constructor(private readonly em: EntityManager) {}

  /** Returns all registered evaluators to administrators, and to other users their own. */
  async list(principal: Principal): Promise<RegisteredEvaluators> {
    const owner = isAdministrator(principal) ? null : principal.userId;
    const evaluators = await new EvaluatorRepository(this.em.fork()).active(owner);
    return { items: evaluators.map(evaluatorView), protocols };
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
    const at = await new EvaluatorRepository(this.em.fork()).recordPresence(id, report);
    // it was removed after the request was authenticated
    if (!at) throw evaluatorRemoved();
    if (!protocols.includes(report.protocol)) throw protocolUnsupported(report.protocol);
    return { serverTime: at.toISOString(), protocols };
  }
}

export const protocolUnsupported = (protocol: number): DomainError =>
  new DomainError(
    'conflict',
    'protocol_unsupported',
    `The evaluator uses version ${protocol} of the protocol, and this service supports: ${protocols.join(', ')}. Install the evaluator in the version of the service.`,
  );

const evaluatorView = ({ lastSeenAt, createdAt, ...evaluator }: ListedEvaluator): EvaluatorView => ({
  ...evaluator,
  lastSeenAt: lastSeenAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});
