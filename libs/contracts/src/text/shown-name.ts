import { z } from 'zod';

/**
 * Control characters, characters that change the text direction, and zero-width characters. With
 * them a name can look like another name or like nothing. The category Cf contains the
 * bidirectional and zero-width characters; the code points listed here are fillers that no category
 * covers.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u3164\uFFA0]/u;

/**
 * The neighbours that a joiner needs: letters and marks of scripts that are spelt with joiners, and
 * pictographs.
 */
const JOINABLE =
  '[\\p{sc=Arab}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}\\p{sc=Taml}\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}' +
  '\\p{M}\\p{Extended_Pictographic}]';
const JOINER = new RegExp(`(?<=${JOINABLE})[\\u200C\\u200D](?=${JOINABLE})`, 'gu');

const isSeen = (text: string): boolean => !UNSEEN.test(text);
const message = 'contains an invisible character (a control, direction or zero-width character)';

const line = (longest: number) => z.string().normalize('NFC').trim().min(1).max(longest);

/** A name that users must be able to tell apart, in Unicode form NFC. */
export const shownName = (longest: number) => line(longest).refine(isSeen, { error: message });

/**
 * A sentence that users read but need not tell apart: like a name, but joiners are allowed where
 * they belong.
 */
export const shownSentence = (longest: number) =>
  line(longest).refine((text) => isSeen(text.replace(JOINER, '')), { error: message });

/** A visible text that is not normalised, because others must send it back literally. */
export const ShownText = z.string().min(1).refine(isSeen, { error: message });
