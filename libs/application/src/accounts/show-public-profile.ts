import { profileOf } from '@assay/accounts';
import { earnedBadges, ParticipantRepository } from '@assay/collection/people';
import type { PublicProfile } from '@assay/contracts/people';
import { User } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

/** Shows a user's public page: what they chose to show of their models, badges and examples. */
@Injectable()
export class ShowPublicProfile {
  constructor(private readonly em: EntityManager) {}

  /** @throws DomainError `not_found` if there is no user with this name */
  async execute(username: string): Promise<PublicProfile> {
    const em = this.em.fork();
    // crowd workers, who come by a link, have no page
    const user = await em.findOneOrFail(
      User,
      { usernameKey: username.toLowerCase(), role: { $in: ['user', 'administrator'] } },
      { failHandler: DomainError.missing('person') },
    );
    const { displayName, bio, shows } = await profileOf(em, user);
    return {
      username: user.username,
      displayName: displayName ?? null,
      bio,
      ...(shows.includes('models') && { models: await publishedModels(em, user.id) }),
      ...(shows.includes('badges') && { badges: await earnedBadges(em, user.id) }),
      ...(shows.includes('examples') && { examples: await new ParticipantRepository(em).exampleCounts(user.id) }),
    };
  }
}

async function publishedModels(em: EntityManager, owner: string): Promise<PublicProfile['models'] & object> {
  const models = await em.find(
    Model,
    { owner, published: true, withdrawn: false, state: 'scored' },
    { populate: ['task'], orderBy: { id: 'desc' } },
  );
  return models.map(({ id, name, task }) => ({ id, name, task: task.slug }));
}
