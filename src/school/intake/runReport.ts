import { createHash } from 'node:crypto'
import { z } from 'zod'
import { fieldError, Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import { canonicalJson } from '../../base/text/canonicalJson.ts'
import type { DatabaseOf, SchoolWriter } from '../../database/connection/database.ts'
import { violationOf } from '../../database/connection/databaseErrors.ts'
import { recordAudit } from '../../database/tables/audit.ts'
import type { AuditEvent } from '../../database/tables/auditEvents.ts'
import { lockReport, storeReport } from '../../database/tables/platformReports.ts'
import type { OutputOf } from '../../engine/declare/expressions.ts'
import { line } from '../../engine/declare/fields.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import { explainWriteViolation } from '../../engine/write/explainViolation.ts'
import { parseInput } from '../../engine/write/parseBody.ts'

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
    .update(canonicalJson([path, input]))
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

export interface PlatformChange {
  writer: SchoolWriter
  school: School
  now: Date
  externalServices: Pick<ExternalServices, 'send' | 'checkoutAddress'>
  /** The sender's identifier of the report. */
  reference: string
}

export const platformPath = '/platform/v1'

export interface PathParameter {
  name: string
  description: string
  example: string
  form: RegExp
}

/** An operation of the platform intake. Its route, its validation and its description are derived from this declaration. */
export interface PlatformOperation {
  /** Operation id: `createOrder`. */
  id: string
  tag: 'orders' | 'comments' | 'forms' | 'form_submissions' | 'rsvps'
  /** The path template below `platformPath`: `/orders/{number}/pay`. */
  path: string
  parameter?: PathParameter
  summary: string
  description?: string
  successStatus: 200 | 201
  event: AuditEvent
  /** The audit event if an operator calls it. Default: the same. */
  operatorEvent?: AuditEvent
  /** The request body, including `school` and `reference`. */
  input: z.ZodObject
  output: { name: string; schema: z.ZodObject }
  run(change: PlatformChange, input: Record<string, unknown>, parameter: string): Promise<Record<string, unknown>>
}

type DeclaredOperation<Input extends z.ZodRawShape> = Omit<PlatformOperation, 'input' | 'run'> & {
  /** The members of the body in addition to `school` and `reference`. */
  input: z.ZodObject<Input>
  run(change: PlatformChange, input: OutputOf<Input>, parameter: string): Promise<Record<string, unknown>>
}

const common = {
  school: z.string().min(1).max(100).optional().meta({
    description: 'The school, by the name of its configuration file. Optional if the service has one school.',
    example: 'demo',
  }),
  reference: line(200).meta({
    description:
      'Your identifier of this report, unique per operation and school. The same reference with the same body returns the first response again; with another body it is 409.',
    example: 'cs_test_a1b2c3',
  }),
}

export function definePlatformOperation<Input extends z.ZodRawShape>(operation: DeclaredOperation<Input>): PlatformOperation
export function definePlatformOperation(operation: PlatformOperation): PlatformOperation {
  return { ...operation, input: z.object({ ...common, ...operation.input.shape }) }
}
