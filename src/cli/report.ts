import { randomUUID } from 'node:crypto'
import type { Command, CommanderError } from 'commander'
import { isObject } from '../lib/jsonValue.ts'
import { parseJson } from '../lib/parseJson.ts'
import { Problem } from '../lib/problem.ts'
import { platformOperation } from '../platform/platformOperations.ts'
import { runReport } from '../platform/runReport.ts'
import { createOutbox } from '../wiring/outbox.ts'
import { checkoutAddresses } from './checkoutAddresses.ts'
import { withSchoolOption } from './define.ts'
import { failure, usage } from './failures.ts'
import type { Session } from './session.ts'

/** Adds `--school` and `--reference`. */
export const withReference = (command: Command): Command =>
  withSchoolOption(command).option('--reference <text>', 'your identifier: a repeated command with the same one changes nothing')

/** Returns the JSON object of an option; undefined without the option. */
export function parseObject(option: string, text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined
  try {
    const value = parseJson(text)
    if (isObject(value)) return value
  } catch {
    // The same message as for JSON of another type.
  }
  throw usage(`${option} must be a JSON object`)
}

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
      { database, schoolOf: () => school, externalServices: { send: outbox.send, checkoutAddress: checkoutAddresses(session) } },
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
