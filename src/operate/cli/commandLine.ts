import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { errorCode } from '../../base/log/errorCode.ts'
import { failure } from './failures.ts'
import { runCli } from './program.ts'

/** Relative paths with `/`, of names that every file system takes and that cannot leave the directory. */
const safeName = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}(\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}){0,7}$/

/** Saves a new file below a directory, readable by its owner only. Never replaces a file. */
export async function saveBelow(directory: string, name: string, contents: AsyncIterable<Uint8Array>): Promise<void> {
  if (!safeName.test(name)) throw failure(`the name of a file is not allowed: ${name}`)
  const path = join(directory, name)
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await pipeline(contents, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST') throw failure(`${path} exists: choose an empty directory`)
    if (code === 'EACCES' || code === 'EROFS' || code === 'ENOSPC' || code === 'ENOTDIR')
      throw failure(`cannot write ${path} (${code}): choose another directory`)
    throw error
  }
}

const { stdin, stdout, stderr } = process

// The reader of a pipe can close it early, as `head` does.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}

const stop = new AbortController()
// Only `--follow` waits for this; other commands end as before.
if (process.argv.some((argument) => argument === '--follow' || argument === '-f'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

process.exitCode = await runCli(process.argv.slice(2), {
  signal: stop.signal,
  variables: process.env,
  userName: userName(),
  terminal: {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    ask: (question) => ask(question, stderr),
    askSecretly: async (question) => {
      stderr.write(question)
      const answer = await ask('', new Writable({ write: (_chunk, _encoding, done) => done() }))
      stderr.write('\n')
      return answer
    },
    readInput: () => text(stdin),
    save: saveBelow,
  },
})

/** Reads one line. The end of input and ^C cancel the command before it changes anything. */
async function ask(question: string, output: NodeJS.WritableStream): Promise<string> {
  const reader = createInterface({ input: stdin, output, terminal: true, historySize: 0 })
  const { promise: left, reject } = Promise.withResolvers<never>()
  reader.once('close', () => reject(new Error('no answer; nothing was changed')))
  try {
    return await Promise.race([reader.question(question), left])
  } finally {
    reader.close()
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // In a container the user id may not have a name.
    return String(process.getuid?.() ?? 'unknown')
  }
}
