import { z } from 'zod';

const agreedText = {
  version: z.string().meta({ description: 'what you send back when you agree' }),
  text: z.string().meta({ description: 'Markdown' }),
};

/** What a task asks of who takes part, and what they have agreed to. */
export const ConsentView = z
  .object({
    task: z.string().meta({ description: "the task's short name" }),
    consent: z
      .object(agreedText)
      .nullable()
      .meta({ description: 'what people agree to; null: the task asks for none' }),
    licence: z
      .object({ ...agreedText, name: z.string().meta({ description: 'such as CC-BY-4.0' }) })
      .nullable()
      .meta({ description: 'under which they contribute; null: the task asks for none' }),
    contentWarning: z
      .string()
      .nullable()
      .meta({ description: 'what people may come to see; null: nothing of the kind' }),
    minimumAge: z.int().nullable().meta({ description: 'in years; null: none' }),
    isEnough: z.boolean().meta({ description: 'whether you may take part: you agreed to all of it as it is today' }),
    given: z
      .object({
        consentVersion: z.string().nullable().meta({ description: 'of the consent; null: none was asked for' }),
        licenceVersion: z.string().nullable().meta({ description: 'of the licence; null: none was asked for' }),
        minimumAge: z.int().nullable().meta({ description: 'the age that you said you have at least, in years' }),
        warned: z.boolean().meta({ description: 'that you have read the content warning' }),
        at: z.iso.datetime().meta({ description: 'when' }),
      })
      .nullable()
      .meta({ description: 'what you agreed to last; null: nothing yet' }),
  })
  .meta({ id: 'Consent' });
export type ConsentView = z.infer<typeof ConsentView>;

export const GiveConsent = z
  .strictObject({
    consentVersion: z.string().max(40).nullish().meta({ description: 'the version of the consent that you have read' }),
    licenceVersion: z.string().max(40).nullish().meta({ description: 'the version of the licence that you have read' }),
    age: z.literal(true).optional().meta({ description: 'you have the minimum age' }),
    warned: z.literal(true).optional().meta({ description: 'you have read the content warning' }),
  })
  .meta({ id: 'GiveConsent' });
export type GiveConsent = z.infer<typeof GiveConsent>;
