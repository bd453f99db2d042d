import { type Reader, type Risk, risks } from '../engine/declare/permissionSentences.ts'
import type { ConsentScope } from './consentScope.ts'
import type { TextKey, Texts } from './texts.ts'

/** A list of scopes. That of a long request has one for each verb, which can be collapsed. */
export interface ConsentArea {
  title: string
  isCollapsible: boolean
  /** A collapsed area contains nothing that is ticked. */
  isOpen: boolean
  count: string
  choices: ConsentChoice[]
}

/** A scope that the person can grant. */
export interface ConsentChoice {
  id: string
  name: string
  sentence: string
  isTicked: boolean
  showsOthers: boolean
  /** The risks, in a few words each. */
  marks: string[]
}

/**
 * The boxes that are ticked. `harmless`: without scopes that change things or show personal data of other people. `unmarked`: without those
 * that have a mark.
 */
export type Ticked = 'all' | 'unmarked' | 'read' | 'harmless' | 'none'

/** The person who consents, and the boxes that are ticked when the page opens. */
export interface ConsentChoosing {
  reader: Reader
  grantable: ReadonlySet<string>
  ticked: Ticked
}

/** A list with more scopes than this is divided by verb. */
const longList = 8

const verbs = ['identity', 'read', 'write'] as const
const verbKeys = { identity: 'consent.verb_identity', read: 'consent.verb_read', write: 'consent.verb_write' } as const

const riskKeys = {
  takes_over: 'consent.risk_takes_over',
  costs: 'consent.risk_costs',
  deletes: 'consent.risk_deletes',
} as const satisfies Record<Risk, TextKey>

export function areasOf(texts: Texts, scopes: readonly ConsentScope[], choosing: ConsentChoosing): ConsentArea[] {
  const offered = scopes.filter(({ name }) => choosing.grantable.has(name))
  const isLong = offered.length > longList
  const byVerb = verbs.map((verb) => ({ title: texts.text(verbKeys[verb]), members: offered.filter((one) => one.verb === verb) }))
  const lists = isLong ? byVerb : [{ title: texts.text('consent.scopes_heading'), members: byVerb.flatMap(({ members }) => members) }]
  return lists
    .filter(({ members }) => members.length > 0)
    .map(({ title, members }) => {
      const choices = members.map((scope) => choiceOf(texts, scope, choosing))
      return {
        ...{ title, choices, isCollapsible: isLong, count: texts.counted('consent.count', members.length) },
        isOpen: !isLong || choices.some(({ isTicked }) => isTicked),
      }
    })
}

const isTickedBy: Record<Ticked, (scope: { isWrite: boolean; showsOthers: boolean; isMarked: boolean }) => boolean> = {
  all: () => true,
  unmarked: ({ isMarked }) => !isMarked,
  read: ({ isWrite, isMarked }) => !isWrite && !isMarked,
  harmless: ({ isWrite, showsOthers }) => !isWrite && !showsOthers,
  none: () => false,
}

function choiceOf(texts: Texts, scope: ConsentScope, { reader, ticked }: ConsentChoosing): ConsentChoice {
  const { name, verb } = scope
  const showsOthers = scope.othersData.includes(reader)
  const marked = risks.filter((risk) => scope.risks?.[risk].includes(reader)).map((risk) => texts.text(riskKeys[risk]))
  const marks = [...marked, ...(showsOthers ? [texts.text('consent.others_mark')] : [])]
  return {
    id: `scope-${name.replace(/[^a-z0-9]+/gi, '-')}`,
    name,
    sentence: texts.sentence(scope, reader),
    isTicked: isTickedBy[ticked]({ isWrite: verb === 'write', showsOthers, isMarked: marks.length > 0 }),
    showsOthers,
    marks,
  }
}

/** The scopes that the role of the person cannot grant, in one closed list; undefined if there are none. */
export interface UnavailableScopes {
  summary: string
  scopes: { name: string; sentence: string }[]
}

export function unavailableOf(
  texts: Texts,
  scopes: readonly ConsentScope[],
  { reader, grantable }: ConsentChoosing,
  isReadOnly: boolean,
): UnavailableScopes | undefined {
  const refused = scopes.filter(({ name }) => !grantable.has(name))
  if (refused.length === 0) return undefined
  return {
    summary: texts.counted(isReadOnly ? 'consent.unavailable_read_only' : 'consent.unavailable', refused.length),
    scopes: refused.map((scope) => ({ name: scope.name, sentence: texts.sentence(scope, reader) })),
  }
}
