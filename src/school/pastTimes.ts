import { fieldError, type ProblemDetail } from '../base/problem.ts'

/** The earliest time at which something of an online school can have happened. */
const earliest = '1990-01-01T00:00:00.000Z'

/** Returns the errors of a time at which something happened before the school came here: it must be after `since` and in the past. */
export function pastTimeErrors(
  field: string,
  sent: string | null | undefined,
  now: Date,
  since?: { field: string; time: Date },
): ProblemDetail[] {
  if (sent === undefined || sent === null) return []
  const time = new Date(sent)
  if (time > now) return [fieldError(field, 'max', 'must not be in the future')]
  if (time < new Date(earliest)) return [fieldError(field, 'min', `must not be before ${earliest}`)]
  return since !== undefined && time < since.time ? [fieldError(field, 'min', `must not be before ${since.field}`)] : []
}
