import { Model } from '@assay/submissions';
import { defineEntity, p } from '@mikro-orm/postgresql';

/** The channel on which a worker announces that the result of a model is signed: its ID. */
export const SIGNED_RESULT_CHANNEL = 'assay_signed_result';

const SignedResultSchema = defineEntity({
  name: 'SignedResult',
  tableName: 'signed_result',
  properties: {
    model: () => p.oneToOne(Model).primary().deleteRule('cascade'),
    /** The bytes that are signed: the RFC 8785 form of a `ResultBundle`. Contains the owner's username. */
    result: p.text(),
    /** Base64. */
    signature: p.text(),
    /** The key that signed; see `SigningKey`. */
    keyId: p.string().length(16),
    signedAt: p.datetime(),
  },
});

/** The results of a model as a worker signed them last. */
export class SignedResult extends SignedResultSchema.class {}
SignedResultSchema.setClass(SignedResult);
