import { Annotation, Assignment } from '@assay/collection/annotating';
import { type CrowdSession, CrowdSessions } from '@assay/collection/crowds';
import { Validation } from '@assay/collection/validating';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { accessOf, type CrowdAccess } from '../access/access.js';

type Parameters = Readonly<Record<string, string | undefined>>;
type Reach = (em: EntityManager, session: CrowdSession, parameters: Parameters) => Promise<boolean> | boolean;

const isId = (id: string | undefined): id is string => z.guid().safeParse(id).success;

const REACHES: Readonly<Record<CrowdAccess['own'], Reach>> = {
  session: () => true,
  task: (_em, { link }, { slug }) => slug === link.round.task.slug,
  round: (_em, { link }, { slug, number }) => slug === link.round.task.slug && number === String(link.round.number),
  // only what they wrote or were assigned in their round: they must not learn what else exists
  context: async (em, { link, user }, { id }) =>
    isId(id) && (await em.count(Assignment, { context: id, round: link.round, user })) > 0,
  annotation: async (em, { link, user }, { id }) =>
    isId(id) &&
    ((await em.count(Annotation, { id, round: link.round, annotator: user })) > 0 ||
      (await em.count(Validation, { annotation: { id, round: link.round }, validator: user })) > 0),
  validation: async (em, { link, user }, { id }) =>
    isId(id) && (await em.count(Validation, { id, annotation: { round: link.round }, validator: user })) > 0,
};

/**
 * Restricts crowd workers to collecting examples in their round. They may use only routes that
 * declare `crowd`, so that a new route is forbidden by default.
 */
@Injectable()
export class CrowdGuard implements CanActivate {
  constructor(
    private readonly em: EntityManager,
    private readonly sessions: CrowdSessions,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { readonly principal?: Principal | null }>();
    const { principal } = request;
    if (principal?.role !== 'crowd') return true;

    const session = await this.sessions.of(principal);
    const crowd = crowdAccessOf(request);
    if (!crowd || !(await REACHES[crowd.own](this.em, session, request.params as Parameters))) {
      throw new DomainError('forbidden', 'crowd_only', 'Your link only allows you to write examples in its round.');
    }
    if (crowd.state === 'working') requireWorking(session);
    return true;
  }
}

/** Returns the access of crowd workers. HEAD is forbidden, although it shares the route of GET. */
const crowdAccessOf = (request: FastifyRequest): CrowdAccess | undefined =>
  request.method === 'HEAD' ? undefined : accessOf(request).crowd;

/** @throws DomainError `session_finished`, `onboarding_needed` */
function requireWorking({ state }: CrowdSession): void {
  if (state === 'working') return;
  if (state === 'onboarding') {
    throw new DomainError(
      'forbidden',
      'onboarding_needed',
      'Pass the test first (POST /crowd/sessions/current/onboarding).',
    );
  }
  throw new DomainError(
    'conflict',
    'session_finished',
    'This session accepts no more work. It is finished, was replaced by a newer one, or its test was not passed.',
  );
}
