import type { BoardName, ChangeProfile, ProfilePart, ProfileView, PublicProfile } from '@assay/contracts';
import { User } from '@assay/identity';
import { DomainError, newId } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { earnedBadges } from './badges.service.js';
import { Profile } from './profile.js';

interface Said {
  readonly displayName?: string | null | undefined;
  readonly bio: string;
  readonly board: BoardName;
  readonly shows: readonly ProfilePart[];
}

const NOTHING_SAID: Said = { displayName: null, bio: '', board: 'pseudonym', shows: [] };

/** Shows and changes profiles. */
@Injectable()
export class ProfilesService {
  constructor(private readonly em: EntityManager) {}

  async own(userId: string): Promise<ProfileView> {
    const em = this.em.fork();
    const user = await em.findOneOrFail(User, userId);
    const { displayName, bio, board, shows } = await saidBy(em, user);
    return { username: user.username, displayName: displayName ?? null, bio, board, shows: [...shows] };
  }

  async change(userId: string, change: ChangeProfile): Promise<ProfileView> {
    const present = await this.own(userId);
    const { displayName = present.displayName, bio = present.bio, board = present.board } = change;
    const shows = [...new Set(change.shows ?? present.shows)];
    await this.em.fork().upsert(
      Profile,
      { id: newId(), user: userId, displayName, bio, board, shows, updatedAt: new Date() },
      {
        onConflictFields: ['user'],
        onConflictMergeFields: ['displayName', 'bio', 'board', 'shows', 'updatedAt'],
      },
    );
    return this.own(userId);
  }

  /**
   * Returns a user's public page.
   * @throws DomainError `not_found` if there is no user with this name
   */
  async page(username: string): Promise<PublicProfile> {
    const em = this.em.fork();
    // crowd workers, who come by a link, have no page
    const user = await em.findOne(User, {
      usernameKey: username.toLowerCase(),
      role: { $in: ['user', 'administrator'] },
    });
    if (!user) throw DomainError.notFound('person');
    const { displayName, bio, shows } = await saidBy(em, user);
    return {
      username: user.username,
      displayName: displayName ?? null,
      bio,
      ...(shows.includes('models') && { models: await publishedModels(em, user.id) }),
      ...(shows.includes('badges') && { badges: await earnedBadges(em, user.id) }),
      ...(shows.includes('examples') && { examples: await exampleCounts(em, user.id) }),
    };
  }
}

const saidBy = async (em: EntityManager, user: User): Promise<Said> =>
  (await em.findOne(Profile, { user })) ?? NOTHING_SAID;

async function publishedModels(em: EntityManager, owner: string): Promise<PublicProfile['models'] & object> {
  const models = await em.find(
    Model,
    { owner, published: true, withdrawn: false, state: 'scored' },
    { populate: ['task'], orderBy: { id: 'desc' } },
  );
  return models.map(({ id, name, task }) => ({ id, name, task: task.slug }));
}

/**
 * Counts a user's examples for their public page. Excludes tasks with a content warning, because
 * work in them is not put on display.
 */
async function exampleCounts(em: EntityManager, annotator: string): Promise<PublicProfile['examples'] & object> {
  const [row] = await em.execute<(PublicProfile['examples'] & object)[]>(
    `select count(*)::int as written,
            count(*) filter (where a.outcome = 'validated')::int as validated,
            count(*) filter (where a.outcome = 'validated' and a.fooled)::int as fooling
       from annotation a join round r on r.id = a.round_id join task t on t.id = r.task_id
      where a.annotator_id = ? and a.source = 'written' and not a.is_check and a.retracted_at is null
        and t.definition #> '{collection,contentWarning}' is null`,
    [annotator],
  );
  return row ?? { written: 0, validated: 0, fooling: 0 };
}
