import { z } from 'zod'
import type { School } from '../../base/school.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { AuditEvent } from '../../database/tables/auditEvents.ts'
import { line } from '../../engine/declare/fields.ts'
import type { OutputOf } from '../../engine/declare/values.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'

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
