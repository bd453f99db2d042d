/** Runs the command line of this process. */
import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runCli } from './program.ts'
import { saveBelow } from './saveBelow.ts'

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
