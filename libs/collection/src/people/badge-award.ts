import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

const BadgeAwardSchema = defineEntity({
  name: 'BadgeAward',
  uniques: [{ properties: ['user', 'badge'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    user: () => p.manyToOne(User),
    /** A code of `BADGES`. */
    badge: p.string().length(40),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A badge that a user earned. It stays, whatever happens to what it was earned with. */
export class BadgeAward extends BadgeAwardSchema.class {}
BadgeAwardSchema.setClass(BadgeAward);
