import { type IncomingMessage, request as send } from 'node:http'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { json } from 'node:stream/consumers'
import { randomToken } from '../../../base/keyring.ts'
import { isObject } from '../../../base/text/jsonValue.ts'
import { isProof, type OperatorEndpoint, operatorPaths } from '../../serve/operatorFile.ts'
import { exitCodes, failure } from '../failures.ts'
import type { Terminal } from '../terminal.ts'
import { type CommandAnswer, type CommandRequest, commandIdHeader, commandLimits, type Frame } from './frames.ts'

/** A busy service can take seconds to answer. A closed port refuses the connection immediately. */
const identityMs = 15_000

/** True if the service of the endpoint runs: another program on its port does not know the key. */
export async function isRunning({ url, key }: OperatorEndpoint): Promise<boolean> {
  const nonce = randomToken(256)
  try {
    const response = await post(`${url}${operatorPaths.identity}`, {
      headers: { 'x-nonce': nonce },
      signal: AbortSignal.timeout(identityMs),
    })
    const body: unknown = await json(response)
    const proof = isObject(body) ? body.proof : undefined
    return typeof proof === 'string' && isProof(key, nonce, proof)
  } catch {
    return false
  }
}

export interface ForwardedCommand extends Omit<CommandRequest, 'isInteractive'> {
  terminal: Terminal
  directory: string | undefined
  /** Leaves a command that runs until it is stopped. */
  signal: AbortSignal | undefined
}

/** Runs a command in the service and returns its exit code. Questions, input and files stay at this end. */
export async function forwardCommand(
  endpoint: OperatorEndpoint,
  { args, operator, terminal, directory, signal }: ForwardedCommand,
): Promise<number> {
  const headers = { authorization: `Bearer ${endpoint.key}` }
  const command: CommandRequest = { args, operator: operator.slice(0, commandLimits.operator), isInteractive: terminal.isInteractive }
  const commands = `${endpoint.url}${operatorPaths.commands}`
  const response = await post(commands, { headers, body: command })
  if (response.statusCode !== 200) throw failure(`the service refused the command: ${await reasonIn(response)}`)
  const answers = `${commands}/${response.headers[commandIdHeader]}/answers`
  const answer = async (ask: number, work: () => Promise<string>): Promise<void> => {
    const given = await work().then(
      (text): CommandAnswer => ({ ask, answer: text }),
      (error: unknown): CommandAnswer => ({ ask, error: error instanceof Error ? error.message : 'no answer' }),
    )
    const { statusCode } = (await post(answers, { headers, body: given })).resume()
    if (statusCode !== 204) throw failure('the service did not accept the answer; list the objects to check the result')
  }
  let file: { contents: PassThrough; saved: Promise<void> } | undefined
  // The signal may have come before the response.
  if (signal?.aborted) {
    response.destroy()
    return exitCodes.ok
  }
  signal?.addEventListener('abort', () => response.destroy())
  try {
    for await (const line of createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })) {
      const frame: Frame = JSON.parse(line)
      if ('out' in frame) terminal.out(frame.out)
      else if ('err' in frame) terminal.err(frame.err)
      else if ('ask' in frame) await answer(frame.ask, () => (frame.isSecret ? terminal.askSecretly : terminal.ask)(frame.question))
      else if ('input' in frame) await answer(frame.input, () => terminal.readInput())
      else if ('file' in frame) file = beginFile(terminal, directory, frame.file)
      else if ('bytes' in frame) await writeTo(file, Buffer.from(frame.bytes, 'base64'))
      else if ('fileEnd' in frame) await answer(frame.fileEnd, () => endFile(file))
      else return frame.exit
    }
  } catch (error) {
    if (signal?.aborted) return exitCodes.ok
    throw failure(
      `the connection to the service ended: ${error instanceof Error ? error.message : 'unknown reason'}; list the objects to check the result`,
    )
  }
  if (signal?.aborted) return exitCodes.ok
  terminal.err('the service stopped before the command was finished: list the objects to check the result\n')
  return exitCodes.failure
}

function beginFile(terminal: Terminal, directory: string | undefined, name: string): { contents: PassThrough; saved: Promise<void> } {
  if (directory === undefined) throw failure('the service sent a file that this command did not ask for')
  const contents = new PassThrough()
  const saved = terminal.save(directory, name, contents)
  // Awaited at the end of the file, where the service gets the reason.
  saved.catch(() => contents.resume())
  return { contents, saved }
}

async function writeTo(file: { contents: PassThrough; saved: Promise<void> } | undefined, bytes: Buffer): Promise<void> {
  if (!file || file.contents.write(bytes)) return
  const { promise: drained, resolve } = Promise.withResolvers<void>()
  file.contents.once('drain', resolve)
  await Promise.race([drained, file.saved.catch(() => undefined)])
}

async function endFile(file: { contents: PassThrough; saved: Promise<void> } | undefined): Promise<string> {
  file?.contents.end()
  await file?.saved
  return ''
}

interface Posted {
  headers: Record<string, string>
  body?: object
  signal?: AbortSignal
}

function post(url: string, { headers, body = {}, signal }: Posted): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  send(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, ...(signal && { signal }), agent: false })
    .on('response', resolve)
    .on('error', reject)
    .end(JSON.stringify(body))
  return promise
}

async function reasonIn(response: IncomingMessage): Promise<string> {
  const body: unknown = await json(response).catch(() => undefined)
  return isObject(body) && typeof body.error_description === 'string' ? body.error_description : `status ${response.statusCode}`
}
