import { once } from 'node:events'
import type { PassThrough } from 'node:stream'
import { failure } from '../failures.ts'
import type { Terminal } from '../terminal.ts'
import type { CommandAnswer, Frame } from './frames.ts'

export interface RemoteTerminal extends Terminal {
  /** Passes on an answer of the operator. Returns false if nothing was asked. */
  answer(given: CommandAnswer): boolean
}

const bytesAtOnce = 48 * 1024

/** A terminal whose person is at the other end of a response. When they leave, open questions and later output fail. */
export function createRemoteTerminal(
  response: PassThrough,
  { isInteractive, left }: { isInteractive: boolean; left: AbortSignal },
): RemoteTerminal {
  const open = new Map<number, PromiseWithResolvers<string>>()
  let asked = 0
  const send = (frame: Frame): boolean => left.aborted || response.write(`${JSON.stringify(frame)}\n`)
  const requirePresence = (): void => {
    if (left.aborted) throw gone()
  }
  const request = (frame: (ask: number) => Frame): Promise<string> => {
    requirePresence()
    asked += 1
    const answer = Promise.withResolvers<string>()
    open.set(asked, answer)
    send(frame(asked))
    return answer.promise
  }
  left.addEventListener('abort', () => {
    for (const { reject } of open.values()) reject(gone())
    open.clear()
  })
  return {
    isInteractive,
    out(text) {
      requirePresence()
      send({ out: text })
    },
    // Called by timers too, so it may not throw.
    err: (text) => void send({ err: text }),
    ask: (question) => request((ask) => ({ ask, question, isSecret: false })),
    askSecretly: (question) => request((ask) => ({ ask, question, isSecret: true })),
    readInput: () => request((input) => ({ input })),
    async save(_directory, name, contents) {
      requirePresence()
      send({ file: name })
      for await (const chunk of contents) {
        for (let start = 0; start < chunk.length; start += bytesAtOnce) {
          requirePresence()
          const bytes = Buffer.from(chunk.subarray(start, start + bytesAtOnce)).toString('base64')
          if (!send({ bytes })) await once(response, 'drain', { signal: left })
        }
      }
      await request((fileEnd) => ({ fileEnd }))
    },
    answer({ ask, answer, error }) {
      const waiting = open.get(ask)
      if (!waiting) return false
      open.delete(ask)
      if (answer === undefined) waiting.reject(failure(error ?? 'no answer; nothing was changed'))
      else waiting.resolve(answer)
      return true
    },
  }
}

const gone = (): Error => new Error('the operator has left')
