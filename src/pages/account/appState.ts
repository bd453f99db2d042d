import type { ConnectedApp } from '../../identity/accounts/connectedApps.ts'
import type { AppTerms } from '../../identity/apps/schoolAppRules.ts'
import type { Texts } from '../texts.ts'

/** Returns why the rules of the school do not allow an app; undefined if they do. */
export function notAllowed(texts: Texts, { access }: Pick<AppTerms, 'access'>): string | undefined {
  if (access === 'awaited') return texts.text('school.state_awaited')
  return access === 'none' ? texts.text('school.state_not_allowed') : undefined
}

/** Returns whether an app is paused, and since when. */
export function stateOf(texts: Texts, pausedAt: Date | undefined, by: ConnectedApp['pausedBy']): string {
  if (!pausedAt) return texts.text('activity.state_active')
  return texts.text(by === 'school' ? 'activity.state_paused_school' : 'activity.state_paused', { date: texts.moment(pausedAt) })
}
