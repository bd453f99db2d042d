import { moneyText } from '../../base/text/readerFormats.ts'
import type { AppContract } from '../../school/account/appContract.ts'
import type { Texts } from '../texts.ts'
import type { AccountSection } from './accountPage.ts'

/** Returns the section with what the app reads about itself: see `getCurrentAuthorization`. */
export function contractSection(
  texts: Texts,
  { rules, waiting, limits }: AppContract,
  { refused, currency }: { refused: readonly string[]; currency: string },
): AccountSection {
  const { rows, people, amount } = rules.asks_above
  const fact = (label: string, text: string) => ({ label, value: texts.parts('school.verbatim', { text }) })
  const above = [
    ...(rows === null ? [] : [texts.counted('contract.rows', rows)]),
    ...(people === null ? [] : [texts.counted('contract.people', people)]),
    ...(amount === null ? [] : [moneyText({ amount, currency }, texts.language)]),
  ]
  return {
    id: 'contract',
    heading: texts.text('contract.heading'),
    facts: [
      ...(refused.length > 0 ? [fact(texts.text('contract.refused'), refused.join(', '))] : []),
      ...(above.length > 0 ? [fact(texts.text('contract.asks_above'), above.join(', '))] : []),
      ...(rules.second_person ? [fact(texts.text('contract.second'), texts.text('contract.second_yes'))] : []),
      ...(rules.outgoing_delay > 0
        ? [fact(texts.text('contract.delay'), texts.counted('contract.minutes', Math.ceil(rules.outgoing_delay / 60)))]
        : []),
      ...limits.map(({ name, requests, remaining }) =>
        fact(texts.text('contract.limit', { name }), texts.text('contract.left', { remaining, requests })),
      ),
      fact(texts.text('contract.waiting'), String(waiting.length)),
    ],
    links: waiting.map(({ url, expires_at }) => ({
      href: new URL(url).pathname,
      label: texts.text('contract.decide', { date: texts.moment(expires_at) }),
    })),
  }
}
