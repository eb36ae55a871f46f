/**
 * Pairs of a word for men and the corresponding word for women, in both directions. After Zhao et
 * al. 2018 ("Gender bias in coreference resolution", WinoBias).
 */
const PAIRS = `
he she,himself herself
man woman,men women,boy girl,boys girls,gentleman lady,gentlemen ladies,male female,males females
father mother,fathers mothers,dad mom,dads moms,daddy mommy,papa mama,son daughter,sons daughters
brother sister,brothers sisters,husband wife,husbands wives,uncle aunt,uncles aunts,nephew niece,nephews nieces
grandfather grandmother,grandfathers grandmothers,grandpa grandma,grandson granddaughter,grandsons granddaughters
stepfather stepmother,stepson stepdaughter,stepbrother stepsister,godfather godmother,fiancé fiancée
boyfriend girlfriend,boyfriends girlfriends,groom bride,grooms brides,widower widow,widowers widows
king queen,kings queens,prince princess,princes princesses,duke duchess,emperor empress,heir heiress
actor actress,actors actresses,waiter waitress,waiters waitresses,host hostess,hero heroine,heroes heroines
businessman businesswoman,businessmen businesswomen,policeman policewoman,policemen policewomen
chairman chairwoman,congressman congresswoman,congressmen congresswomen,spokesman spokeswoman
salesman saleswoman,salesmen saleswomen,sportsman sportswoman,sportsmen sportswomen,landlord landlady
monk nun,monks nuns,wizard witch,wizards witches,steward stewardess,schoolboy schoolgirl,schoolboys schoolgirls
fatherhood motherhood,manhood womanhood,masculine feminine,masculinity femininity,sir madam,mr ms
`;
/** One-way pairs: several words for one gender correspond to a single word for the other. */
const ONE_WAY =
  "mrs mr,miss mr,mum dad,mums dads,mommies daddies,bridegroom bride,bridegrooms brides,ma’am sir,ma'am sir";

const pairs = (text: string): string[][] =>
  text
    .trim()
    .split(/[\n,]/)
    .map((pair) => pair.split(' '));

/**
 * The counterpart of each gendered word, in lower case. Pronouns whose counterpart depends on their
 * position (her, his, him, hers) are not included.
 */
export const GENDERED_WORDS: ReadonlyMap<string, string> = new Map([
  ...pairs(PAIRS).flatMap(([one = '', other = '']) => [[one, other] as const, [other, one] as const]),
  ...pairs(ONE_WAY).map(([from = '', to = '']) => [from, to] as const),
]);

/** Titles that can precede any name of a person: "Mr. Smith". */
export const FORMS_OF_ADDRESS: ReadonlySet<string> = new Set('mr mrs ms miss sir madam dr prof professor'.split(' '));

/**
 * Words that name a person alone or before a first name: "Aunt Mary", "I told Mom". Royal titles
 * are not included, because kings and queens are named entities.
 */
export const KIN: ReadonlySet<string> = new Set(
  'uncle aunt grandpa grandma brother sister mom mum dad mommy daddy mother father'.split(' '),
);

/**
 * Words after "her" or "his" which show that the pronoun stands alone ("gave her the book", "the
 * book is his and") and is not a possessive determiner ("her book").
 */
export const NOT_OWNED: ReadonlySet<string> = new Set(
  `a an the this that these those and or but nor so if as than because while when where who whom which what why how
  to of in on at by for from with without about into onto over under after before against between through during until
  up down out off away back again too either now then here there yet still
  is are was were be been being am do does did has have had will would shall should can could may might must not
  i you he she it we they me us them him her my your our their its his hers
  all any some every each no never ever always also just even very really`.split(/\s+/),
);
