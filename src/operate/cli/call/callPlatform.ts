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
export async function report(
  session: CommandSession,
  operation: PlatformOperation,
  { reference, parameter, body }: Report,
): Promise<Record<string, unknown>> {
  const { parameter: place } = operation
  if (place && !place.form.test(parameter)) throw usage(`${parameter} is not a ${place.name}, such as ${place.example}`)
  const school = await session.school()
  const database = await session.database()
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
        externalServices: await operatorServices(session, []),
      },
    )
    return JSON.parse(text)
  } catch (error) {
    throw error instanceof Problem ? explained(error) : error
  }
}
