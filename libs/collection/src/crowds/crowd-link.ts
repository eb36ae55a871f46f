import type { CrowdPay, CrowdPlatform, Onboarding } from '@assay/contracts/rounds';
import { newId } from '@assay/kernel';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

const CrowdLinkSchema = defineEntity({
  name: 'CrowdLink',
  indexes: [{ properties: ['round'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    round: () => p.manyToOne(Round).deleteRule('cascade'),
    platform: p.string().length(10).$type<CrowdPlatform>(),
    /** The number of examples that complete an assignment. */
    examples: p.integer(),
    pay: p.json<CrowdPay>(),
    onboarding: p.json<Onboarding>().nullable(),
    /** The completion code of the study on Prolific. */
    completionCode: p.string().length(64).nullable(),
    /** Origins that may embed the page in a frame. */
    frameAncestors: p.json<readonly string[]>(),
    /** Origins to which finished work may be submitted. */
    submitTo: p.json<readonly string[]>(),
    expiresAt: p.datetime(),
    closedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A link by which workers of a crowd platform take part in a round without an account. */
export class CrowdLink extends CrowdLinkSchema.class {}
CrowdLinkSchema.setClass(CrowdLink);
