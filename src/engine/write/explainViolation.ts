import { Problem } from '../../base/problem.ts'
import { violationOf } from '../../database/connection/databaseErrors.ts'
import type { Resource } from '../declare/resource.ts'
import { slugTaken } from '../declare/slugs.ts'

/** Converts a violation like `explainViolation`; a lock timeout becomes a 503, because the same request can be repeated. */
export function explainWriteViolation(error: unknown, resource: Pick<Resource, 'table' | 'schema'>): unknown {
  return violationOf(error)?.kind === 'timeout' && !(error instanceof Problem)
    ? new Problem('temporarily_unavailable', {
        description: 'Another change is taking too long. Nothing was changed. Send the same request again.',
        headers: { 'Retry-After': '2' },
        cause: error,
      })
    : explainViolation(error, resource)
}

/** Converts a database violation that a caller can fix to a Problem. Returns any other error unchanged. */
export function explainViolation(error: unknown, { table, schema }: Pick<Resource, 'table' | 'schema'>): unknown {
  const violation = violationOf(error)
  if (!violation || error instanceof Problem) return error
  const { kind, constraint } = violation
  switch (kind) {
    case 'unique':
      if (constraint === `${table}_school_id_slug_key`) {
        return slugTaken('slug: is already in use. Choose another one.', error)
      }
      if (constraint === `${table}_school_id_email_key`) {
        return new Problem('email_taken', {
          details: [
            { field: 'email', code: 'email_taken', message: 'email: is already used by another person of the school. Choose another one.' },
          ],
          cause: error,
        })
      }
      if (constraint === `${table}_school_id_external_id_key`) {
        return new Problem('external_id_taken', {
          details: [{ field: 'external_id', code: 'external_id_taken', message: 'external_id: is already in use. Choose another one.' }],
          cause: error,
        })
      }
      if (constraint === `${table}_school_id_code_key`) {
        return new Problem('code_taken', {
          details: [{ field: 'code', code: 'code_taken', message: 'code: is already in use. Choose another one.' }],
          cause: error,
        })
      }
      // Every rule is checked before the write, so a concurrent request wrote the same object: the check of a repetition finds it.
      return concurrentChange(error)
    case 'reference': {
      const [, field] = new RegExp(`^${table}_(\\w+)_fkey$`).exec(constraint) ?? []
      if (field === undefined || !(field in schema.shape)) return new Problem('resource_in_use', { cause: error })
      return new Problem('invalid_reference', {
        details: [{ field, code: 'invalid_reference', message: `${field}: must refer to an object of this school. Check the id.` }],
        cause: error,
      })
    }
    case 'timeout':
      return new Problem('query_too_expensive', { cause: error })
    case 'deadlock':
      return concurrentChange(error)
    case 'value':
      return new Problem('validation_failed', { description: 'A value of the body cannot be stored: it is out of range.', cause: error })
  }
}

const concurrentChange = (cause: unknown): Problem =>
  new Problem('temporarily_unavailable', {
    description: 'The change conflicts with a concurrent one. Try again.',
    headers: { 'Retry-After': '1' },
    cause,
  })
