import { randomUUID } from 'node:crypto'
import type { CommanderError } from 'commander'
import { Problem } from '../lib/problem.ts'
import { platformOperation } from '../platform/platformOperations.ts'
import { runReport } from '../platform/runReport.ts'
import { failure, usage } from './failures.ts'
import type { Session } from './session.ts'

export interface CommandReport {
  /** The school of `--school`. */
  school: string | undefined
  /** Without a reference, a repeated command is another report. */
  reference: string | undefined
  /** The parameter of the path. */
  parameter?: string
  body: Record<string, unknown>
}

/** Carries out an operation of the platform intake for an operator, with the same checks and the same effects. */
export async function report(
  session: Session,
  id: string,
  { school: slug, reference, parameter = '', body }: CommandReport,
): Promise<Record<string, unknown>> {
  const school = await session.school(slug)
  const operation = platformOperation(id)
  try {
    const { text } = await runReport(
      {
        operation,
        parameter,
        body: { ...body, reference: reference ?? `cli-${randomUUID()}` },
        operator: session.userName,
      },
      { database: await session.database(), schoolOf: () => school, externalServices: noServices },
    )
    return JSON.parse(text)
  } catch (error) {
    throw error instanceof Problem ? explained(error) : error
  }
}

/** The commands use operations that send no e-mail. */
const noServices = { send: () => Promise.reject(new Error('commands send no e-mail')) }

/** Returns the errors of a rejected report in one line: invalid input is 2, what the school's state does not allow is 1. */
function explained({ status, description, details }: Problem): CommanderError {
  const sentence = details.length === 0 ? description : details.map(({ message }) => message).join('; ')
  return status === 422 || status === 400 ? usage(sentence) : failure(sentence)
}
