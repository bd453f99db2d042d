import type { SendEmail } from '../mail/mail.ts'
import type { SendMessage } from '../policy/sendMessage.ts'
import type { Enqueue } from './enqueue.ts'

/** Sends messages once the answer has gone: nobody waits for a mail server, and nobody's request fails with it. */
export function sendInBackground({ email, enqueue }: { email: SendEmail; enqueue: Enqueue }): SendMessage {
  return async (school, to, kind, links) => enqueue(`message ${kind}`, () => email(school, to, kind, links), { school: school.slug })
}
