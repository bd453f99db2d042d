import { type AccessDuration, type AccessRule, chosenDuration } from '../identity/apps/accessDuration.ts'
import { pageProblem } from './pageProblem.ts'
import type { TextKey, Texts } from './texts.ts'

/** The list of a form in which a person chooses how long an app may use their account. */
export interface DurationField {
  name: string
  label: string
  options: { value: AccessDuration; label: string; isSelected: boolean }[]
}

const name = 'duration'

const labels = {
  '1_hour': 'duration.1_hour',
  '1_day': 'duration.1_day',
  '30_days': 'duration.30_days',
  until_removed: 'duration.until_removed',
} as const satisfies Record<AccessDuration, TextKey>

export function durationField(texts: Texts, { offered, proposed, longestSeconds }: AccessRule): DurationField {
  const days = Math.round(longestSeconds / 86_400)
  return {
    name,
    label: texts.text('duration.label'),
    options: offered.map((value) => ({ value, label: texts.text(labels[value], { days }), isSelected: value === proposed })),
  }
}

/**
 * Returns the duration that the form names, or the proposed one if it names none.
 * @throws PageProblem if it names another one or several
 */
export function readDuration(form: URLSearchParams, rule: AccessRule): AccessDuration {
  const duration = chosenDuration(form.getAll(name), rule)
  if (duration === undefined) {
    const description = `${name} must be given once, as one of ${rule.offered.join(', ')}. Nothing was changed: go back and choose again.`
    throw pageProblem('bad_request', 'invalid_request', description)
  }
  return duration
}
