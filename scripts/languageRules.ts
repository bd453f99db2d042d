/** Where a piece of text was found: some words are terms in one place and ordinary English in another. */
export type TextKind = 'comment' | 'string' | 'title' | 'document' | 'name'

export interface LanguageRule {
  /** Matches the words that must be replaced. A space in the text can be a line break. */
  pattern: RegExp
  /** Completes the sentence "use …". */
  use: string
  /** The kinds of text that the rule checks. By default, all prose: everything except names. */
  kinds?: readonly TextKind[]
}

const prose: readonly TextKind[] = ['comment', 'string', 'title', 'document']
const comments: readonly TextKind[] = ['comment', 'title', 'document']

/** Phrases of translated English, and words that have a standard term. */
const phraseRules: readonly LanguageRule[] = [
  {
    pattern: /(?<!-)\b(?:stands?|stood)\b(?! (?:for|out|up|in for)\b)/i,
    use: '"is", "is stored", "exists", "appears"',
  },
  { pattern: /\bstanding\b(?! (?:for|out)\b)/i, use: '"status"; for enrolments "enrolment status"' },
  { pattern: /\b(?:who|whom)ever\b/i, use: '"anyone who", "the caller", "the person who"' },
  {
    pattern: /\b(?:for|from|by|than|as|but|with|that|where|because) who(?! else\b)(?= [a-z])/i,
    use: '"people who", "a person who", "the caller"',
  },
  { pattern: /(?:^|[.;] )who (?!else\b)[a-z' ]+(?![\w' ]*\?)/, use: '"a person who", "the caller"', kinds: ['comment', 'title'] },
  { pattern: /(?<!\bthere )(?<!n't )\b(?:is|are|was|were) none\b(?! of\b)/i, use: '"is not a …", "does not exist"' },
  {
    pattern:
      /(?<!\bthere )(?<!\bwhy )\b(?:is|are|was|were) no (?!longer\b|more than\b|less than\b|fewer\b|later\b|doubt\b|one\b|different\b|use\b|\w+er than\b)(?=[a-z])/i,
    use: '"is not a …", "does not have …"',
  },
  { pattern: /\bbeside\b/i, use: '"next to", "in addition to", "with", "except"' },
  { pattern: /\b(?:tells?|told|telling)\b/i, use: '"reports", "sends", "shows", "distinguishes"' },
  { pattern: /(?<!\b(?:a life|a mind|lives?) )\bof (?:its|their|his|her|our|your|my|one's) own\b/i, use: '"its own …", "a separate …"' },
  { pattern: /\bat once\b/i, use: '"immediately", "at the same time", "together", "concurrently"' },
  { pattern: /\bin force\b/i, use: '"current", "active", "that applies"' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, use: '"fix"' },
  { pattern: /\b(?:lends?|lent|lending)\b/i, use: '"grant", "share"' },
  { pattern: /\bthe papers\b/i, use: '"the documents", "the docs"' },
  { pattern: /\bthe kit\b/i, use: '"the resource framework" or src/engine' },
  {
    pattern: /^(?:Of|What|Whether|Who|Whose|Whom) [^?]*$/,
    use: 'a verb at the beginning: "Returns…", "Checks…", "True if…"',
    kinds: ['comment'],
  },
  // A title that begins with `of` continues the title of its group: describe('the list'), test('of a visitor …').
  { pattern: /^(?:what|whether|who|whose|whom) [^?]*$/, use: 'a sentence with a subject and a verb', kinds: ['title'] },
  { pattern: /\b(?:roads?|doors?)\b/i, use: '"request pipeline", "path", "entry point", "tenant resolution"', kinds: comments },
  {
    pattern: /\b(?:the|each|every|other|another|which|lower|higher|one|own|its|two) rooms?\b(?! (?:for|left|to|in)\b)/i,
    use: '"module", "layer", "quota", "space"',
    kinds: comments,
  },
  { pattern: /\b(?:one|two|lower|higher|upper|each|every|the) floors?\b/i, use: '"layer"', kinds: comments },
  { pattern: /\bnobody's\b/i, use: 'the positive form, for example "Suppresses out-of-office replies"' },
  {
    pattern: /\b(?:to|from|of|for|by|in|tells|told|reach|reaches|names|chooses|helps|concerns|belongs to) nobody\b/i,
    use: 'the positive form: what does happen',
  },
  {
    pattern: /\b(?:says?|said|knows?|means|opens?|asks?|proves?) nothing\b/i,
    use: 'the positive form: "is ignored", "has no effect", "does not depend on …"',
  },
  { pattern: /\bnobody (?:who|that|whom)\b|\bovertakes? nobody\b|\bnobody overtakes\b/i, use: 'the positive form: what does happen' },
  { pattern: /\bwhat (?:is|was) (?:new|public|left)\b(?! out\b)/i, use: '"new values", "public rows", "the remaining amount"' },
  { pattern: /\b(?:as good as|the same as ever)\b/i, use: '"almost", "unchanged"' },
  { pattern: /\berrands?\b/i, use: '"background task"' },
  { pattern: /\b(?:brings?|brought|bringing) out\b/i, use: '"publish"' },
  { pattern: /\b(?:lets?|letting) go of\b/i, use: '"release"' },
  { pattern: /\bsights?\b/i, use: '"visibility"' },
  { pattern: /\bstretch(?:es)?\b/i, use: '"range"' },
  { pattern: /\bfault(?:s|y)?\b/i, use: '"error", "field error", "invalid"' },
  { pattern: /\bmistakes?\b/i, use: '"error"' },
  { pattern: /\brefusals?\b/i, use: '"error response", "rejection"' },
  { pattern: /\b(?:(?<!\b(?:and|but|or) )no|not any) more(?=[.,;:)]| *$)/im, use: '"no longer" before the verb' },
  { pattern: /\bjust now\b/i, use: '"currently", "at the moment"' },
  { pattern: /\banew\b/i, use: '"again"' },
  { pattern: /\banswers? under\b/i, use: '"is served at"' },
  { pattern: /\bthe very (?!first\b|last\b|best\b)[a-z]+/i, use: '"exactly the …", "the same …"' },
  { pattern: /\bto who\b(?= [a-z])/i, use: '"to people who", "to the caller", "for a known …"' },
  { pattern: /\bgood for nothing\b/i, use: '"invalid", "no longer valid"' },
  { pattern: /\blikewise\b/i, use: '"in the same way", "also"' },
]

/** Words of identifiers and file names that have a standard term. A pattern matches one whole camelCase identifier. */
const nameRules: readonly LanguageRule[] = [
  { pattern: /sight(?!ed)/i, use: 'visibility, QueryScope' },
  { pattern: /errand/i, use: 'backgroundTask' },
  { pattern: /^(?:leaveWork|leave_work|afterwards)$/, use: 'enqueue, backgroundTasks' },
  { pattern: /whyNot/i, use: 'ineligibilityReason' },
  { pattern: /handOver|^carried$/i, use: 'manualCode' },
  { pattern: /^shades?(?=[A-Z]|$)|Shades?(?=[A-Z]|$)/, use: 'themeColors' },
  { pattern: /bringOut/i, use: 'publishDuePosts' },
  { pattern: /letGoOf/i, use: 'release' },
  { pattern: /asBringer|[bB]ringer/, use: 'uploader' },
  { pattern: /^standing|Standing/, use: 'enrollmentStatus, status' },
  { pattern: /addressee/i, use: 'Recipient' },
  { pattern: /outboxPost/i, use: 'fileTransport' },
  { pattern: /^(?:isTakenBy|takenCourses)$/, use: 'isEnrolled, enrolledCourses' },
  { pattern: /nobodysHash/i, use: 'dummyHash' },
  { pattern: /^(?:unasked|ofSchool)$/, use: 'withYesOption, withSchoolOption' },
  { pattern: /^faults?(?=[A-Z]|$)|Faults?(?=[A-Z]|$)/, use: 'fieldError, fieldErrors' },
  { pattern: /^mistakes?(?=[A-Z]|$)|Mistakes?(?=[A-Z]|$)/, use: 'fieldErrors, issues' },
  { pattern: /^[oO]utside$/, use: 'externalServices' },
  { pattern: /^truth|Truth/, use: 'selfCheck' },
  { pattern: /^stretch|Stretch/, use: 'range' },
  { pattern: /^tell(?=[A-Z]|$)|^told$/, use: 'send…, notify…, generate…' },
  { pattern: /schoolFace|schoolLook/i, use: 'branding, theme' },
  { pattern: /^(?:useCoupon|settleCoupon)$/, use: 'reserveCoupon, confirmCoupon' },
  { pattern: /^(?:liveSource|givenAccess|keepAside)$/, use: 'activeEntitlement, fallbackAccess' },
  { pattern: /^seenAs$/, use: 'view' },
  { pattern: /^(?:papers?)$/, use: 'document, documents' },
  { pattern: /^kit$/, use: 'framework' },
  { pattern: /^most[A-Z]/, use: 'max…' },
  { pattern: /surroundings/i, use: 'context' },
  { pattern: /^patience|Patience/, use: 'timeout' },
  { pattern: /^happenings?$/, use: 'event, events' },
  { pattern: /^(?:[aA]sking|Asked|askedOf|AskedList)$/, use: 'request, requester' },
  { pattern: /^(?:Visited|visitOf)$/, use: 'response, request' },
  { pattern: /^said$/, use: 'output, text' },
  { pattern: /^breadth$/, use: 'rank' },
  { pattern: /^(?:road|doors?|rooms)$/, use: 'pipeline, apiContext, modules' },
]

/** Returns the rules that apply to a kind of text. */
export function rulesFor(kind: TextKind): readonly LanguageRule[] {
  if (kind === 'name') return nameRules
  return phraseRules.filter(({ kinds }) => (kinds ?? prose).includes(kind))
}
