import type { z } from 'zod'
import { explainIssue } from './explainIssue.ts'

/** Checks a value that a caller sent against a schema. The messages are ours, and the issues carry what was sent. */
export const checkValue = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.ZodSafeParseResult<z.output<Schema>> =>
  schema.safeParse(value, { error: explainIssue, reportInput: true })
