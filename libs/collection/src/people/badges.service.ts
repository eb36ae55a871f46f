import type { BadgeList } from '@assay/contracts/people';
import { newId } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Annotation } from '../annotating/annotation.js';
import { AnnotationRepository } from '../annotating/annotation.repository.js';
import { Validation } from '../validating/validation.js';
import { BADGE_COUNTS, BadgeAward, BADGES } from './badges.js';
import { ParticipantRepository } from './participant.repository.js';

@Injectable()
export class BadgesService {
  constructor(private readonly em: EntityManager) {}

  /** Returns all badges: the earned ones with their date, and the progress towards the others. */
  async of(userId: string): Promise<BadgeList> {
    const em = this.em.fork();
    const counts = await new ParticipantRepository(em).badgeCounts(userId);
    const earned = await awards(em, userId);
    return {
      items: BADGES.map(({ counts: what, needed, ...badge }) => {
        const earnedAt = earned.get(badge.code)?.toISOString() ?? null;
        // an earned badge stays complete even if the count has decreased since
        const progress = earnedAt === null ? Math.min(counts[what], needed) : needed;
        return { ...badge, counts: BADGE_COUNTS[what], needed, progress, earnedAt };
      }),
    };
  }
}

/** Returns a user's badges, in the order of `BADGES`. */
export async function earnedBadges(
  em: EntityManager,
  userId: string,
): Promise<{ code: string; name: string; description: string; earnedAt: string }[]> {
  const earned = await awards(em, userId);
  return BADGES.flatMap(({ code, name, description }) => {
    const at = earned.get(code);
    return at ? [{ code, name, description, earnedAt: at.toISOString() }] : [];
  });
}

/** Returns the badges of several users by user ID, each in the order of `BADGES`. */
export async function earnedBadgesOf(
  em: EntityManager,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, { code: string; name: string; description: string }[]>> {
  if (userIds.length === 0) return new Map();
  const awarded = Map.groupBy(await em.find(BadgeAward, { user: { $in: [...userIds] } }), ({ user }) => user.id);
  return new Map(
    [...awarded].map(([userId, awards]) => {
      const codes = new Set(awards.map(({ badge }) => badge));
      const badges = BADGES.filter(({ code }) => codes.has(code));
      return [userId, badges.map(({ code, name, description }) => ({ code, name, description }))];
    }),
  );
}

/** Awards each user the badges that they have earned by now. Idempotent. */
export async function awardBadges(em: EntityManager, userIds: readonly string[]): Promise<void> {
  for (const userId of new Set(userIds)) {
    const counts = await new ParticipantRepository(em).badgeCounts(userId);
    const deserved = BADGES.filter((badge) => counts[badge.counts] >= badge.needed);
    if (deserved.length === 0) continue;
    await em.upsertMany(
      BadgeAward,
      deserved.map(({ code }) => ({ id: newId(), user: userId, badge: code, createdAt: new Date() })),
      { onConflictFields: ['user', 'badge'], onConflictAction: 'ignore' },
    );
  }
}

/**
 * Awards badges to the author of the first example of a UTC day: only that one extends a streak.
 */
export async function awardForFirstOfDay(em: EntityManager, annotationId: string): Promise<void> {
  const author = await new AnnotationRepository(em).authorOfFirst(annotationId);
  if (author !== undefined) await awardBadges(em, [author]);
}

/**
 * Awards badges to the author and the validators of a decided example. A validation agrees with
 * nothing before the decision.
 */
export async function awardForDecision(em: EntityManager, annotationId: string): Promise<void> {
  const annotation = await em.findOne(Annotation, annotationId);
  if (annotation && annotation.outcome !== 'pending') await awardBadges(em, await peopleOf(em, annotation));
}

async function peopleOf(em: EntityManager, annotation: Annotation): Promise<string[]> {
  const validations = await em.find(Validation, { annotation, validator: { $ne: null } });
  return [annotation.annotator, ...validations.map(({ validator }) => validator)].flatMap((user) => user?.id ?? []);
}

async function awards(em: EntityManager, user: string): Promise<ReadonlyMap<string, Date>> {
  const found = await em.find(BadgeAward, { user });
  return new Map(found.map(({ badge, createdAt }) => [badge, createdAt]));
}
