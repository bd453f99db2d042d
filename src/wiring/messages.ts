import type { Errands } from '../lib/errands.ts'
import type { Log } from '../lib/log.ts'
import type { SendLetter } from '../mail/mail.ts'
import type { SendMessage } from '../policy/messages.ts'

/** Sends messages once the answer has gone: nobody waits for a mail server, and nobody's request fails with it. */
export function sendAfterwards({ letter, errands, log }: { letter: SendLetter; errands: Errands; log: Log }): SendMessage {
  return async (school, to, kind, links) => {
    try {
      errands.run(`message ${kind}`, () => letter(school, to, kind, links))
    } catch (error) {
      // What the message is about has happened.
      log.error({ err: error, message: kind, school: school.slug }, 'a message was dropped: too many wait to be sent')
    }
  }
}
