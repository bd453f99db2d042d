import type { z } from 'zod'
import { explainIssue } from './explainIssue.ts'

/** Checks a value against a schema. The issues have our messages and contain the invalid input. */
export const checkValue = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.ZodSafeParseResult<z.output<Schema>> =>
  schema.safeParse(value, { error: explainIssue, reportInput: true })
