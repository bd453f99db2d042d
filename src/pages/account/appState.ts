import type { ConnectedApp } from '../../domain/accounts/connectedApps.ts'
import type { Texts } from '../texts.ts'

/** Returns whether an app is paused, and since when. */
export function stateOf(texts: Texts, pausedAt: Date | undefined, by: ConnectedApp['pausedBy']): string {
  if (!pausedAt) return texts.text('activity.state_active')
  return texts.text(by === 'school' ? 'activity.state_paused_school' : 'activity.state_paused', { date: texts.moment(pausedAt) })
}
