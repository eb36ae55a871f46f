import type { ChangeProfile, ProfileView } from '@assay/contracts/people';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Profile } from './profile.js';

type Said = Pick<Profile, 'displayName' | 'bio' | 'board' | 'shows'>;

const NOTHING_SAID: Said = { displayName: null, bio: '', board: 'pseudonym', shows: [] };

/** Shows and changes profiles. */
@Injectable()
export class ProfilesService {
  constructor(private readonly em: EntityManager) {}

  async own(userId: string): Promise<ProfileView> {
    const em = this.em.fork();
    const user = await em.findOneOrFail(User, userId);
    const { displayName, bio, board, shows } = await profileOf(em, user);
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
}

/** Returns what a user says about themselves. */
export const profileOf = async (em: EntityManager, user: User): Promise<Said> =>
  (await em.findOne(Profile, { user })) ?? NOTHING_SAID;
