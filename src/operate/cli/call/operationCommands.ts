import { toPublicId } from '../../../base/ids.ts'
import { Problem } from '../../../base/problem.ts'
import { everyRow, firstRows } from '../../../base/text/pageOfRows.ts'
import { type ApiResponse, pageOf } from '../../../engine/call.ts'
import { ifMatchText, type Operation } from '../../../engine/declare/operations.ts'
import type { Parameter } from '../../../engine/declare/parameters.ts'
import { bodySchema } from '../../../engine/output/publishedSchemas.ts'
import { isWrite } from '../../../engine/write/dryRun.ts'
import { serviceOperations } from '../../../school/index.ts'
import { platformOperations } from '../../../school/intake/platformOperations.ts'
import type { PlatformOperation } from '../../../school/intake/runReport.ts'
import {
  type AddCommand,
  type CommandSession,
  command,
  flag,
  jsonOption,
  referenceOption,
  removalOptions,
  required,
  schoolOption,
  text,
} from '../command.ts'
import { explained } from '../failures.ts'
import { type ApiCall, apiCaller } from './callApi.ts'
import { report } from './callPlatform.ts'
import { bodyMembers, bodyOf, exampleOptions, type Member, memberOptions, queryOf } from './members.ts'
import { printObject, printRows } from './printResponse.ts'

/** The values of the options. Those of the members have other names. */
interface Given {
  json?: true | undefined
  as?: string | undefined
  all?: true | undefined
  data?: string | undefined
  ifMatch?: string | undefined
  reference?: string | undefined
}

/** The most rows that `--all` prints. */
const maxRows = 10_000
const pageRows = 100

const dataOption = {
  data: text('json', 'body as JSON, or - to read it from the standard input; other options replace its members'),
}

/** Returns a command for each operation of the platform intake and of the API, by the name of its group in the help. */
export function operationCommands(): Map<string, AddCommand[]> {
  const operations = serviceOperations.filter(isCallable)
  const commands = [
    ...platformOperations.map((operation) => [`Reports to ${operation.tag}`, platformCommand(operation)] as const),
    ...operations.map((operation) => [operation.resource.area.title, apiCommand(operation, operations)] as const),
  ]
  return new Map([...Map.groupBy(commands, ([name]) => name)].map(([name, found]) => [name, found.map(([, add]) => add)]))
}

/** False for the upload of a file, which is a form. */
const isCallable = (operation: Operation): boolean => operation.kind !== 'create' || operation.rules.takes === undefined

function platformCommand(operation: PlatformOperation): AddCommand {
  const { id, summary, description, parameter, input } = operation
  const members = bodyMembers(input.omit({ school: true, reference: true }))
  return command({
    name: parameter ? `${id} <${parameter.name}>` : id,
    summary: sentences(summary, description),
    examples: [`call ${id}${parameter ? ` ${parameter.example}` : ''}${exampleOptions(members, { isPatch: false })}`],
    options: { ...schoolOption, ...jsonOption, ...removalOptions, ...referenceOption, ...dataOption, ...memberOptions(members) },
    async run(session, given: Given, named = '') {
      await confirmWrite(session, [id, named])
      const body = bodyOf(members, given, await dataIn(session, given))
      const response = await report(session, operation, { reference: given.reference, parameter: named, body })
      printObject(session.terminal, response, { json: given.json === true })
    },
  })
}

function apiCommand(operation: Operation, operations: readonly Operation[]): AddCommand {
  const { id, summary, parameters } = operation
  const places = parameters.filter((parameter) => parameter.in === 'path')
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'csv').map(queryMember)
  const schema = bodySchema(operation)
  const members = schema ? bodyMembers(schema) : []
  const [isChange, isList] = [isWrite(operation), parameters.some(({ name }) => name === 'cursor')]
  const as = text('email', `the person in whose name it is called${isChange ? '' : ' (default: an owner)'}`)
  return command({
    name: [id, ...places.map(({ name }) => `<${name}>`)].join(' '),
    summary: sentences(summary),
    examples: [apiExample(operation, { places, members: [...query, ...members] })],
    options: {
      ...schoolOption,
      ...jsonOption,
      as: isChange ? required(as) : as,
      ...(isChange && removalOptions),
      ...(ifMatchText(operation) !== '' && { ifMatch: text('etag', 'ETag of the row that is changed') }),
      ...(isList && { all: flag(`print every row, up to ${maxRows}`) }),
      ...(schema && dataOption),
      ...memberOptions([...query, ...members]),
    },
    async run(session, given: Given, ...keys: string[]) {
      if (isChange) await confirmWrite(session, [id, ...keys])
      const body = schema && bodyOf(members, given, await dataIn(session, given))
      const path = Object.fromEntries(places.map(({ name }, index) => [name, keys[index]]))
      const request = { operation, parameters: { ...path, ...queryOf(query, given) }, body, as: given.as, ifMatch: given.ifMatch }
      const call = await apiCaller(session, operations)
      try {
        await (isList ? printPages(session, call, request, given) : printResponse(session, await call(request), given))
      } catch (error) {
        throw error instanceof Problem ? explained(error) : error
      }
    },
  })
}

async function printResponse({ terminal }: CommandSession, { body, stream }: ApiResponse, { json }: Given): Promise<void> {
  if (!stream) return printObject(terminal, body, { json: json === true })
  for await (const piece of stream.pieces) terminal.out(piece)
}

/** Prints a page of a list, or with `--all` its pages. Says if there is more. */
async function printPages(
  { terminal }: CommandSession,
  call: (call: ApiCall) => Promise<ApiResponse>,
  request: ApiCall,
  { all, json }: Given,
): Promise<void> {
  const fields = request.parameters.fields
  const print = { json: json === true, fields: fields === undefined ? undefined : String(fields) }
  const page = async (more: Record<string, unknown>) => pageOf(await call({ ...request, parameters: { ...request.parameters, ...more } }))
  if (all) {
    const pages = everyRow((cursor) => page({ limit: String(pageRows), ...(cursor !== undefined && { cursor }) }))
    const { rows, isAll } = await firstRows(pages, maxRows)
    printRows(terminal, rows, print)
    if (!isAll) terminal.err(`only the first ${maxRows} rows: filter them\n`)
    return
  }
  const { rows, next } = await page({})
  printRows(terminal, rows, print)
  if (next !== null) terminal.err(`there are more rows: add --all, or --cursor ${next}\n`)
}

const confirmWrite = (session: CommandSession, words: readonly string[]): Promise<void> =>
  session.confirm(`Call ${words.join(' ').trim()} of ${session.configuredSchool().slug}?`)

const dataIn = async ({ terminal }: CommandSession, { data }: Given): Promise<string | undefined> =>
  data === '-' ? await terminal.readInput() : data

const queryMember = ({ name, schema, description, isRequired }: Parameter): Member => ({ path: [name], schema, description, isRequired })

const sentences = (...texts: readonly (string | undefined)[]): string =>
  texts.flatMap((one) => (one === undefined ? [] : one.endsWith('.') ? one : `${one}.`)).join(' ')

function apiExample(operation: Operation, { places, members }: { places: readonly Parameter[]; members: readonly Member[] }): string {
  const words = ['call', operation.id, ...places.map(exampleKey), ...(isWrite(operation) ? ['--as owner@example.com'] : [])]
  return `${words.join(' ')}${exampleOptions(members, { isPatch: operation.method === 'PATCH' })}`
}

/** Returns an example of a parameter of the path: an id, if its description names the prefix. */
function exampleKey({ name, description }: Parameter): string {
  const [, prefix] = /\((\w{3})_ and 26 characters\)/.exec(description) ?? []
  return prefix === undefined ? `<${name}>` : toPublicId(prefix, '01942bc1-1a80-7000-8000-000000000001')
}
