import type { SendEmail } from '../mail/mail.ts'
import type { SendMessage } from '../policy/sendMessage.ts'
import type { Enqueue } from './enqueue.ts'

/** Sends messages after the response, so that no request waits for a mail server or fails with it. */
export function sendInBackground({ email, enqueue }: { email: SendEmail; enqueue: Enqueue }): SendMessage {
  return async (school, to, kind, links) => enqueue(`message ${kind}`, () => email(school, to, kind, links), { school: school.slug })
}
