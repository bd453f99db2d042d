import type { SendLetter } from '../mail/mail.ts'
import type { SendMessage } from '../policy/messages.ts'
import type { LeaveWork } from './enqueue.ts'

/** Sends messages once the answer has gone: nobody waits for a mail server, and nobody's request fails with it. */
export function sendAfterwards({ letter, afterwards }: { letter: SendLetter; afterwards: LeaveWork }): SendMessage {
  return async (school, to, kind, links) => afterwards(`message ${kind}`, () => letter(school, to, kind, links), { school: school.slug })
}
