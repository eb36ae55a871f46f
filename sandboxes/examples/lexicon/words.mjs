// Words of praise, words of blame, negations and intensifiers.
const words = (list) => new Set(list.trim().split(/\s+/));

export const POSITIVE = words(`
  admire adore amazing awesome beautiful best better brilliant charming cheerful clean comfortable delicious delight
  delighted delightful easy elegant enjoy enjoyable enjoyed excellent excited exciting fabulous fair fantastic fast
  favourite fine flawless fresh friendly fun funny glad good gorgeous great happy helpful honest ideal impressed
  impressive incredible joy kind like likeable lovely love loved loves magical magnificent marvellous masterpiece moving
  nice outstanding perfect perfectly pleasant pleased pleasure polite pretty proud quick recommend reliable remarkable
  satisfied smart smooth spectacular splendid stunning superb sweet talented tasty terrific thank thanks thrilled useful
  warm win witty wonderful worth
`);

export const NEGATIVE = words(`
  abysmal angry annoyed annoying appalling atrocious avoid awful bad badly boring bored broken clumsy cold complain
  complaint confusing crash crashes damaged dangerous dead dirty disappointed disappointing disappointment disaster
  disgraceful disgusting dreadful dull embarrassing expensive fail failed fails failure faulty filthy frustrating furious
  hate hated hates hideous hopeless horrible horrid hurt ignored incompetent inferior insult irritating junk lame late
  lazy lied lost lousy mediocre mess miserable mistake mistakes nasty nightmare noisy outrageous overpriced pain painful
  pathetic pointless poor poorly problem problems regret ridiculous rotten rubbish rude ruined sad shame shoddy sick silly
  slow stupid tasteless terrible tired ugly unacceptable uncomfortable unfriendly unhappy unhelpful unpleasant unreliable
  upset useless waste weak worse worst wrong
`);

export const NEGATIONS = words(`
  no not never none nobody nothing neither nor nowhere hardly scarcely barely without cannot can't won't don't doesn't
  didn't isn't wasn't aren't weren't wouldn't couldn't shouldn't hasn't haven't hadn't ain't
`);

export const INTENSIFIERS = words('very really so extremely absolutely totally utterly incredibly truly far much too');
