import type { BoardName, ProfilePart } from '@assay/contracts/people';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

const ProfileSchema = defineEntity({
  name: 'Profile',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    user: () => p.manyToOne(User).unique(),
    /** Null: the username is shown. */
    displayName: p.string().length(60).nullable(),
    bio: p.string().length(2000).default(''),
    /** The name under which annotator boards list them. */
    board: p.string().length(10).$type<BoardName>().default('pseudonym'),
    /** The parts of their public page that everybody may see. */
    shows: p.json<readonly ProfilePart[]>().default([]),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
});

/**
 * A user's description of themselves, and what others may see of them. A user without a profile
 * shows nothing.
 */
export class Profile extends ProfileSchema.class {}
ProfileSchema.setClass(Profile);
