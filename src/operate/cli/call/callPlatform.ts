import { randomUUID } from 'node:crypto'
import { Problem } from '../../../base/problem.ts'
import { schoolDatabase } from '../../../database/school/inSchool.ts'
import { type PlatformOperation, runReport } from '../../../school/intake/runReport.ts'
import type { CommandSession } from '../command.ts'
import { explained, usage } from '../failures.ts'
import { operatorServices } from './operatorServices.ts'

interface Report {
  parameter: string
  /** Without a reference, a repeated command is another report. */
  reference: string | undefined
  body: Record<string, unknown>
}

/** Carries out an operation of the platform intake for an operator, with the same checks and the same effects. */
export async function report(session: CommandSession, operation: PlatformOperation, sent: Report): Promise<Record<string, unknown>> {
  const { parameter: place } = operation
  if (place && !place.form.test(sent.parameter)) throw usage(`${sent.parameter} is not a ${place.name}, such as ${place.example}`)
  const send = await platformCaller(session)
  try {
    return await send(operation, sent)
  } catch (error) {
    throw error instanceof Problem ? explained(error) : error
  }
}

/** Returns a function that sends reports, for commands that send many. It throws the problems of the operation. */
export async function platformCaller(
  session: CommandSession,
): Promise<(operation: PlatformOperation, sent: Report) => Promise<Record<string, unknown>>> {
  const school = await session.school()
  const database = await session.database()
  const context = {
    databaseOf: (schoolId: string) => schoolDatabase(database, schoolId, 'operator'),
    schoolOf: () => school,
    externalServices: await operatorServices(session, []),
  }
  return async (operation, { parameter, reference, body }) => {
    const sent = { ...body, reference: reference ?? `cli-${randomUUID()}` }
    const { text } = await runReport({ operation, parameter, body: sent, operator: session.userName }, context)
    return JSON.parse(text)
  }
}
