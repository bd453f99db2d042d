import { inRootSpan, type Tracing } from '../../base/log/tracing.ts'
import type { SendEmail } from '../../base/mail/mail.ts'
import { emailConcurrency } from '../../base/mail/transport.ts'
import { DeliveryFailure } from '../../base/net/deliveryFailure.ts'
import type { School } from '../../base/school.ts'
import { type ClaimedRow, type OutboxFigures, outboxFigures as readFigures } from '../../database/outbox/claimOutbox.ts'
import type { DeferredWork } from '../../database/outbox/deferredWork.ts'
import { outboxKinds } from '../../database/outbox/outboxKinds.ts'
import { schoolDatabase } from '../../database/school/inSchool.ts'
import { createAccountNotices } from '../../identity/accounts/accountNotices.ts'
import { requestPasswordReset } from '../../identity/accounts/passwordReset.ts'
import { requestSignUp } from '../../identity/accounts/signUp.ts'
import {
  createOutboxWorker,
  type OutboxArguments,
  type OutboxHandler,
  type OutboxOutcome,
  type OutboxWorker,
} from '../jobs/outbox/outboxWorker.ts'
import type { Foundation } from './foundation.ts'
import { createSendToEndpoint, webhookHandler } from './webhooks.ts'

/** Creates the worker that delivers what the outbox holds, with the connections of background work. */
export function createWorker(foundation: Foundation, email: SendEmail): OutboxWorker {
  const { background: database, outbox, runtime, operations, log, limits, tracing } = foundation
  const schoolOf = ({ school_id: id }: ClaimedRow): School => {
    const found = runtime.schools.all.find(({ school }) => school.id === id)
    // The school may be configured again, or in another process.
    if (!found) throw new DeliveryFailure('the school is not configured')
    return found.school
  }
  const sealed = <Content>(deliver: (school: School, content: Content, row: ClaimedRow) => Promise<void>): OutboxHandler => ({
    concurrency: 4,
    deliver: async (row) => deliver(schoolOf(row), outbox.open(row.payload) as Content, row),
  })
  const toOthers = leaving(foundation.config.server.outgoing === 'off')
  const sendNotice = createAccountNotices({
    databaseOf: (schoolId) => schoolDatabase(database, schoolId, 'person'),
    send: email,
    isAllowed: limits.email.isNoticeAllowed,
  })
  const emailHandler = sealed<EmailContent>((school, { to, kind, values }) => email(school, to, kind, values))
  const emailsOf = (kind: keyof typeof emailConcurrency) => toOthers({ ...emailHandler, concurrency: emailConcurrency[kind] })
  const worker = createOutboxWorker({
    database,
    log,
    onOutcome: outboxFigures(foundation),
    handlers: traced(tracing, {
      account_notice: toOthers({
        ...sealed<DeferredWork['account_notice']>((school, notice, { attempts }) =>
          sendNotice(school, notice, { isFirst: attempts === 1 }),
        ),
        concurrency: emailConcurrency.account_notice,
      }),
      webhook: toOthers(webhookHandler({ database, runtime, operations, send: createSendToEndpoint(foundation) })),
      urgent_email: emailsOf('urgent_email'),
      email: emailsOf('email'),
      bulk_email: emailsOf('bulk_email'),
      sign_up_request: sealed<DeferredWork['sign_up_request']>((school, { return_to: returnTo, ...request }) =>
        requestSignUp({ database: schoolDatabase(database, school.id, 'person'), send: outbox.send }, school, {
          ...request,
          returnTo: returnTo ?? undefined,
        }),
      ),
      password_reset_request: sealed<DeferredWork['password_reset_request']>(async (school, { email, return_to, language, request }) => {
        const wanted = { email, language, returnTo: return_to ?? undefined }
        const accountId = await requestPasswordReset(
          { database: schoolDatabase(database, school.id, 'person'), send: outbox.send },
          school,
          wanted,
        )
        if (accountId === undefined) return
        await foundation.recordAudit([{ school_id: school.id, event: 'password.reset_requested', account_id: accountId, ...request }])
      }),
    }),
  })
  const wake = (): void => worker.wake()
  // Deliveries do not belong to the trace of the request that added them.
  outbox.onAdded(tracing ? () => tracing.within(undefined, wake) : wake)
  return worker
}

/** Marks what leaves the service, and keeps it if outgoing is off. Other kinds of work stay inside: what they add to the outbox is kept in turn. */
const leaving =
  (isOff: boolean) =>
  (handler: OutboxHandler): OutboxHandler => ({ ...handler, leaves: true, withheld: isOff ? outgoingIsOff : undefined })

const traced = <Kind extends string>(tracing: Tracing | undefined, handlers: Record<Kind, OutboxHandler>): Record<Kind, OutboxHandler> => {
  const ofKind = ([kind, handler]: [string, OutboxHandler]): [string, OutboxHandler] => [
    kind,
    {
      ...handler,
      deliver: (row) => {
        const attributes = {
          'schoolgate.outbox_id': row.id,
          'schoolgate.attempt': row.attempts,
          'schoolgate.endpoint': row.target ?? undefined,
        }
        return inRootSpan(tracing, { name: `deliver ${kind}`, kind: 'client', attributes }, () => handler.deliver(row))
      },
    },
  ]
  return Object.fromEntries(Object.entries<OutboxHandler>(handlers).map(ofKind)) as Record<Kind, OutboxHandler>
}

/** The reason that rows and commands show. */
export const outgoingIsOff = 'outgoing is off in server.yaml'

interface EmailContent {
  to: Parameters<SendEmail>[1]
  kind: Parameters<SendEmail>[2]
  values: Parameters<SendEmail>[3]
}

const outcomes: readonly OutboxOutcome[] = ['delivered', 'retried', 'dead', 'withheld']

/** Creates the metrics of the outbox, and returns the function that counts its attempts. */
function outboxFigures({ metrics, background }: Pick<Foundation, 'metrics' | 'background'>): NonNullable<OutboxArguments['onOutcome']> {
  metrics.begin(
    'schoolgate_outbox_attempts_total',
    outboxKinds.flatMap((kind) => outcomes.map((outcome) => ({ kind, outcome }))),
  )
  // The former figures stay while the database does not respond.
  let latest: readonly OutboxFigures[] = outboxKinds.map((kind) => ({ kind, pending: 0, oldestSeconds: 0, dead: 0 }))
  metrics.collect(async (set) => {
    latest = await readFigures(background.kysely).catch(() => latest)
    for (const { kind, pending, oldestSeconds, dead } of latest) {
      set('schoolgate_outbox_pending', { kind }, pending)
      set('schoolgate_outbox_oldest_seconds', { kind }, oldestSeconds)
      set('schoolgate_outbox_dead', { kind }, dead)
    }
  })
  return (kind, outcome) => metrics.add('schoolgate_outbox_attempts_total', { kind, outcome })
}
