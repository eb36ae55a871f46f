import { z } from 'zod';

/**
 * Controls, what turns the direction of a text, and what has no width: with them a name looks like another, or like nothing. Format characters (Cf) hold the
 * bidirectional and the zero-width ones; the others here are fillers that no category names.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u3164\uFFA0]/u;

/** What joiners stand between: letters and marks of the scripts that are spelt with them, and pictures. */
const JOINABLE =
  '[\\p{sc=Arab}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}\\p{sc=Taml}\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}' +
  '\\p{M}\\p{Extended_Pictographic}]';
const JOINER = new RegExp(`(?<=${JOINABLE})[\\u200C\\u200D](?=${JOINABLE})`, 'gu');

const isSeen = (text: string): boolean => !UNSEEN.test(text);
const message = 'has an invisible character: a control character, a direction mark, or one without width';

const line = (longest: number) => z.string().normalize('NFC').trim().min(1).max(longest);

/** A name that people read and tell apart, in Unicode's form NFC. */
export const shownName = (longest: number) => line(longest).refine(isSeen, { error: message });

/** A sentence that people read, and need not tell from another: the same, but for joiners where they belong. */
export const shownSentence = (longest: number) =>
  line(longest).refine((text) => isSeen(text.replace(JOINER, '')), { error: message });

/** The same as it is: what others have to send to the letter. */
export const ShownText = z.string().min(1).refine(isSeen, { error: message });
