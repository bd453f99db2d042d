import type { AppRules, PersonCaller } from '../../base/caller.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import type { AskReason, AskReasonOf, Effect } from '../../database/undo/effect.ts'
import type { RecordedEntry } from './activity.ts'

/** The figures of a request that the rules of a school limit. */
export interface Figures {
  /** Objects that it changes or deletes. */
  rows: number
  people: number
  /** In the smallest unit of the currency. */
  amount: number
  isDeletion: boolean
}

/** True if a request has to be tried before it runs, because its effect decides whether a person decides about it. */
export const isTriedFirst = ({ asksFirst, rules }: PersonCaller): boolean =>
  asksFirst === true || (rules !== undefined && (rules.needsSecond || Object.values(rules.askAbove).some((most) => most !== null)))

/** Returns why a request with these figures asks by the rules of the school; undefined if it does not. */
export function ruleReason({ askAbove, needsSecond }: AppRules, figures: Figures): 'second_person' | 'rule' | undefined {
  if (needsSecond && figures.isDeletion) return 'second_person'
  const exceeds = (name: keyof AppRules['askAbove']): boolean => figures[name] > (askAbove[name] ?? Number.POSITIVE_INFINITY)
  return exceeds('rows') || exceeds('people') || exceeds('amount') ? 'rule' : undefined
}

interface Tried {
  /** The reason for which every request of the operation asks. */
  declared: AskReason | undefined
  entry: RecordedEntry
  body: unknown
}

/** Returns why a person decides about a request before it runs; undefined if it needs no decision. */
export function askReason({ asksFirst, rules, role }: PersonCaller, { declared, entry: { effect }, body }: Tried): AskReasonOf | undefined {
  if (!effect) return undefined
  const { affected, changes, emails, people } = effect
  const figures: Figures = {
    rows: affected.reduce((sum, { action, count }) => (action === 'created' ? sum : sum + count), 0),
    people: Math.max(emails.now + emails.later, people),
    amount: Math.max(
      0,
      ...amountsIn(body),
      ...changes.flatMap(({ fields }) => amountsIn(Object.fromEntries(fields.map(({ field, after }) => [field, after])))),
    ),
    isDeletion: isDeletion(effect, role),
  }
  const byRule = rules && ruleReason(rules, figures)
  if (byRule === 'second_person' || effect.isTooLarge) return byRule ?? 'irreversible'
  return asksFirst === true ? (declared ?? effect.reason ?? byRule) : byRule
}

/** True for an effect about which a second person decides, if the school has that rule. People delete what is their own without one. */
export const isDeletion = (effect: Effect | undefined, role: PersonCaller['role']): boolean =>
  effect !== undefined && role !== 'learner' && (effect.event.endsWith('.deleted') || effect.losses.deleted > 0)

/** Returns the amounts of money in a JSON value: the numbers of members such as `amount` and `total_amount`. */
export function amountsIn(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(amountsIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, one]) => (typeof one === 'number' && /(?:^|_)amount$/.test(name) ? [one] : amountsIn(one)))
}
