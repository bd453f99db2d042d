import { randomUUID } from 'node:crypto'
import type { CommanderError } from 'commander'
import { Problem } from '../lib/problem.ts'
import { platformOperation } from '../platform/platformOperations.ts'
import { runReport } from '../platform/runReport.ts'
import { schoolDatabase } from '../store/inSchool.ts'
import { createOutbox } from '../wiring/outbox.ts'
import { checkoutAddresses } from './checkoutAddresses.ts'
import type { CommandSession } from './command.ts'
import { failure, usage } from './failures.ts'

export interface Report {
  parameter?: string
  /** Without a reference, a repeated command is another report. */
  reference?: string | undefined
  body: Record<string, unknown>
}

/** Carries out an operation of the platform intake for an operator, with the same checks and the same effects. */
export async function report(
  session: CommandSession,
  id: string,
  { reference, parameter = '', body }: Report,
): Promise<Record<string, unknown>> {
  const school = await session.school()
  const operation = platformOperation(id)
  const database = await session.database()
  // A running service delivers the messages in the outbox. Otherwise they are delivered after the next start.
  const outbox = createOutbox({ database, keyring: session.keyring() })
  try {
    const { text } = await runReport(
      {
        operation,
        parameter,
        body: { ...body, reference: reference ?? `cli-${randomUUID()}` },
        operator: session.userName,
      },
      {
        databaseOf: (schoolId) => schoolDatabase(database, schoolId, 'operator'),
        schoolOf: () => school,
        externalServices: { send: outbox.send, checkoutAddress: checkoutAddresses(session) },
      },
    )
    return JSON.parse(text)
  } catch (error) {
    throw error instanceof Problem ? explained(error) : error
  }
}

/** Returns the errors of a rejected report in one line: invalid input is 2, what the school's state does not allow is 1. */
function explained({ status, description, details }: Problem): CommanderError {
  const sentence = details.length === 0 ? description : details.map(({ message }) => message).join('; ')
  return status === 422 || status === 400 ? usage(sentence) : failure(sentence)
}
