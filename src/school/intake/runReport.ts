import { createHash } from 'node:crypto'
import { fieldError, Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import type { DatabaseOf } from '../../database/connection/database.ts'
import { violationOf } from '../../database/connection/databaseErrors.ts'
import { recordAudit } from '../../database/tables/audit.ts'
import { lockReport, storeReport } from '../../database/tables/platformReports.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import { canonical } from '../../engine/write/canonical.ts'
import { explainWriteViolation } from '../../engine/write/explainViolation.ts'
import { parseInput } from '../../engine/write/parseBody.ts'
import type { PlatformOperation } from './platformOperation.ts'

export interface Report {
  operation: PlatformOperation
  /** The parameter of the path; empty if the operation has none. */
  parameter: string
  body: unknown
  requestId?: string | undefined
  address?: string | undefined
  /** The operating system user who runs a command. */
  operator?: string | undefined
}

export interface ReportContext {
  databaseOf: DatabaseOf
  schoolOf(slug: string | undefined): School | undefined
  externalServices: Pick<ExternalServices, 'send' | 'checkoutAddress'>
}

/**
 * Carries out a report once per reference, in one transaction: the change, its entry in the change feed, the audit entry and the response
 * are committed together. A rejected report leaves nothing, so its reference can be used again.
 * @returns the response as JSON, and whether an earlier report was repeated
 * @throws Problem reference_reused, validation_failed, and those of the operation
 */
export async function runReport(report: Report, context: ReportContext): Promise<{ text: string; isRepeated: boolean }> {
  const { operation, parameter, body } = report
  const { school: named, reference: sent, ...input } = parseInput(operation.input, body)
  const [slug, reference] = [named === undefined ? undefined : String(named), String(sent)]
  const school = context.schoolOf(slug)
  if (!school) throw unknownSchool(slug)
  const path = operation.path.replace(/\{\w+\}/, parameter)
  const fingerprint = createHash('sha256')
    .update(canonical([path, input]))
    .digest('base64url')
  const key = { schoolId: school.id, operation: operation.id, reference }
  return await context
    .databaseOf(school.id)
    .transaction(async (writer) => {
      const first = await lockReport(writer, key)
      if (first && first.fingerprint !== fingerprint) throw new Problem('reference_reused')
      if (first) return { text: first.body, isRepeated: true }
      const { externalServices } = context
      const change = { writer, school, now: new Date(), externalServices, reference }
      const response = await operation.run(change, input, parameter)
      const text = JSON.stringify(response)
      await storeReport(writer, key, { fingerprint, body: text })
      await recordAudit(writer, [auditEntry(report, { school, reference, response })])
      return { text, isRepeated: false }
    })
    .catch((error: unknown) => {
      throw violationOf(error)?.kind === 'unique'
        ? concurrent(error)
        : explainWriteViolation(error, { table: 'orders', schema: operation.input })
    })
}

function auditEntry(
  { operation, requestId, address, operator }: Report,
  { school, reference, response: { id, number } }: { school: School; reference: string; response: Record<string, unknown> },
) {
  return {
    school_id: school.id,
    event: (operator === undefined ? undefined : operation.operatorEvent) ?? operation.event,
    request_id: requestId,
    address,
    details: { reference, id, ...(number !== undefined && { order: number }), ...(operator !== undefined && { operator }) },
  }
}

/** Another transaction wrote the same at the same time. A repetition of the report finds it, and gets the error that explains it. */
const concurrent = (cause: unknown): Problem => new Problem('temporarily_unavailable', { headers: { 'Retry-After': '1' }, cause })

function unknownSchool(slug: string | undefined): Problem {
  const rule = slug === undefined ? 'is required: the service has several schools' : 'must be the name of a configured school'
  const error = fieldError('school', slug === undefined ? 'required' : 'invalid_reference', rule)
  return new Problem('validation_failed', { description: error.message, details: [error] })
}
