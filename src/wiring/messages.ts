import type { SendLetter } from '../mail/mail.ts'
import type { SendMessage } from '../policy/messages.ts'
import type { Enqueue } from './enqueue.ts'

/** Sends messages once the answer has gone: nobody waits for a mail server, and nobody's request fails with it. */
export function sendAfterwards({ letter, enqueue }: { letter: SendLetter; enqueue: Enqueue }): SendMessage {
  return async (school, to, kind, links) => enqueue(`message ${kind}`, () => letter(school, to, kind, links), { school: school.slug })
}
