// Turns of phrase whose words, taken one by one, mean something else or nothing.

/**
 * The points of a text that matches: for `positive` (for `negative` if below 0), or for `neutral`.
 */
export const RULES = [
  // praise in the form of blame
  { pattern: /\bnot (?:at all )?bad\b|\bnot a bad\b/, positive: 3 },
  {
    pattern:
      /\bnot (?:one|once|a single)\b|\b(?:can't|couldn't|cannot) (?:complain|fault|stop|get enough|ask for|put)\b/,
    positive: 2,
  },
  { pattern: /\b(?:couldn't|could not|can't) be (?:better|happier|nicer)\b|\bnothing wrong with\b/, positive: 3 },
  { pattern: /\b(?:only|one) (?:serious )?(?:complaint|flaw|problem|fault)\b/, positive: 2 },
  {
    pattern: /\b(?:hard|difficult) to (?:fault|find anything)|\bwithout (?:any )?(?:faults?|trouble|problems?)\b/,
    positive: 2,
  },
  { pattern: /\bworth (?:it|every)\b|\ba steal\b|\blife-?saver\b|\bgodsend\b|\bput(?:s)? .* to shame\b/, positive: 3 },
  {
    pattern: /\bedge of my seat\b|\bbrought the house down\b|\bblew (?:me|my)\b|\bon fire\b|\bover the moon\b/,
    positive: 3,
  },
  { pattern: /\bthe real deal\b|\bin a different league\b|\bsecond helping\b|\bseconds\b|\baddictive\b/, positive: 2 },
  {
    pattern:
      /\b(?:never|hasn't|haven't|didn't|doesn't) (?:once )?(?:fail|fails|let|break|shrink|fade|hurt|regret|drag)/,
    positive: 2,
  },
  // blame in the form of praise
  {
    pattern:
      /^(?:oh|ah|great|wonderful|brilliant|fabulous|bravo|congratulations|sure|what a|how (?:kind|sweet|thoughtful))\b.*[,:]/,
    positive: -3,
  },
  {
    pattern: /\b(?:love|adore) (?:how|a place|it when)\b|\bfavourite part was\b|\bso glad (?:i|we) (?:paid|waited)\b/,
    positive: -3,
  },
  { pattern: /\bif you (?:like|enjoy|count)\b|\bgreat .* for anyone (?:who|whose)\b|\bbig thank-you\b/, positive: -2 },
  {
    pattern: /\b(?:wanted|wish i could|used) to (?:like|love|say|recommend)\b|\bhardly (?:a|the)\b|\banything but\b/,
    positive: -3,
  },
  {
    pattern: /\bnot worth\b|\bnot (?:funny|happy|impressed|clever)\b|\bneither .* nor\b.*\b(?:quick|good|friendly)\b/,
    positive: -3,
  },
  {
    pattern: /\bnothing like as\b|\bmore (?:fun|exciting|comfortable)\b.*\bwould\b|\bwould (?:be|have been) more\b/,
    positive: -3,
  },
  {
    pattern:
      /\bflat on (?:its|his|her) face\b|\bdaylight robbery\b|\bfrom hell\b|\brunaround\b|\bpear-shaped\b|\bleft me cold\b/,
    positive: -3,
  },
  {
    pattern:
      /\bdoorstop\b|\bpaperweight\b|\bbrick wall\b|\bsent it back\b|\bonce was enough\b|\bphoned it in\b|\bfire alarm\b/,
    positive: -3,
  },
  { pattern: /\b(?:no|never) \w+, (?:no|never) \w+,? (?:and )?(?:no|never)\b/, positive: -2 },
  // statements
  { pattern: /^(?:is|are|does|do|did|can|should|has|which|what|who|when|where|how long|in which)\b.*\?$/, neutral: 3 },
  {
    pattern:
      /\bneither better nor worse\b|\b(?:can't|cannot|couldn't) (?:say|tell)\b|\bcall it a draw\b|\bright down the middle\b/,
    neutral: 3,
  },
  {
    pattern:
      /\b(?:is|are) (?:called|made|listed|held|released|published|redrawn|washed|hung)\b|\bmeans that\b|\bname for\b/,
    neutral: 2,
  },
  {
    pattern: /\bin (?:1[89]|20)\d\d\b|\bat (?:nine|ten|seven|eight|noon)\b|\bon (?:mondays?|saturdays?|fridays?)\b/,
    neutral: 2,
  },
  { pattern: /^(?:it|this|that) isn't an? .*, it's an? \b/, neutral: 2 },
];
