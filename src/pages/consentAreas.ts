import type { Reader } from '../policy/permissionSentences.ts'
import type { ConsentScope } from './consentScope.ts'
import type { Texts } from './texts.ts'

/** The scopes of one part of the school, grouped by reading and changing. The list of its scopes can be collapsed. */
export interface ConsentArea {
  title: string
  /** A collapsed area contains nothing that is ticked. */
  isOpen: boolean
  count: string
  groups: { verb: ConsentScope['verb']; label: string; choices: ConsentChoice[] }[]
}

/** One scope: a checkbox, or struck through if the person's role cannot grant it. */
export interface ConsentChoice {
  id: string
  name: string
  sentence: string
  isGrantable: boolean
  isTicked: boolean
  /** Marks a scope that shows personal data of other people; empty for other scopes. */
  mark: string
  notice: string
}

/** The person who consents, and the boxes that are ticked when the page opens. */
export interface ConsentChoosing {
  reader: Reader
  grantable: ReadonlySet<string>
  /** `all`: what the person can grant. `harmless`: without scopes that change things or show personal data of other people. */
  ticked: 'all' | 'harmless' | 'none'
}

/** A list with more scopes than this begins with its unticked areas collapsed. */
const longList = 12

const verbs = ['identity', 'read', 'write'] as const
const verbKeys = { identity: 'consent.verb_identity', read: 'consent.verb_read', write: 'consent.verb_write' } as const

export function areasOf(texts: Texts, scopes: readonly ConsentScope[], choosing: ConsentChoosing): ConsentArea[] {
  const isLong = scopes.length > longList
  return [...Map.groupBy(scopes, ({ area }) => area).values()].map((members) => {
    const choices = members.map((scope) => ({ verb: scope.verb, choice: choiceOf(texts, scope, choosing) }))
    return {
      title: members[0] ? texts.areaTitle(members[0]) : '',
      isOpen: !isLong || choices.some(({ choice }) => choice.isTicked),
      count: texts.counted('consent.count', members.length),
      groups: verbs
        .map((verb) => ({
          verb,
          label: texts.text(verbKeys[verb]),
          choices: choices.filter((one) => one.verb === verb).map(({ choice }) => choice),
        }))
        .filter((group) => group.choices.length > 0),
    }
  })
}

function choiceOf(texts: Texts, scope: ConsentScope, { reader, grantable, ticked }: ConsentChoosing): ConsentChoice {
  const { name, verb } = scope
  const isGrantable = grantable.has(name)
  const showsOthers = scope.othersData.includes(reader)
  const isHarmless = verb !== 'write' && !showsOthers
  return {
    id: `scope-${name.replace(/[^a-z0-9]+/gi, '-')}`,
    name,
    sentence: texts.sentence(scope, reader),
    isGrantable,
    isTicked: isGrantable && ticked !== 'none' && (ticked === 'all' || isHarmless),
    mark: showsOthers && isGrantable ? texts.text('consent.others_mark') : '',
    notice: isGrantable ? '' : texts.text('consent.not_grantable'),
  }
}
