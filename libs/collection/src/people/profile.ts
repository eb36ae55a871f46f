import type { BoardName, ProfilePart } from '@assay/contracts';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

const ProfileSchema = defineEntity({
  name: 'Profile',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    user: () => p.manyToOne(User).unique(),
    /** Null: the username. */
    displayName: p.string().length(60).nullable(),
    bio: p.string().length(2000).default(''),
    /** How boards of annotators name them. */
    board: p.string().length(10).$type<BoardName>().default('pseudonym'),
    /** What of theirs anybody may see on their page. */
    shows: p.json<readonly ProfilePart[]>().default([]),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
});

/** What somebody says of themselves, and how much of them others see. Who has none shows nothing. */
export class Profile extends ProfileSchema.class {}
ProfileSchema.setClass(Profile);
