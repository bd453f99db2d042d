import type { Operation } from '../../../engine/declare/operations.ts'
import type { ExternalServices } from '../../../engine/externalServices.ts'
import { createExternalServices } from '../../compose/externalServices.ts'
import { createFileServices } from '../../compose/files.ts'
import { createOutbox } from '../../compose/outbox.ts'
import { createUndoRules } from '../../compose/undoRules.ts'
import type { Session } from '../session.ts'

const unlimited = { uploads_per_minute: Number.MAX_SAFE_INTEGER, bytes_per_day: Number.MAX_SAFE_INTEGER }

/** Creates the services with which operations run for an operator. No limit of a person applies: the operator decides how much is sent. */
export async function operatorServices(session: Session, operations: readonly Operation[]): Promise<ExternalServices> {
  const database = await session.database()
  const keyring = session.keyring()
  const { server } = session.settings().config
  const configOf = ({ slug }: { slug: string }) => session.configuredSchool(slug)
  return createExternalServices({
    stores: await session.stores(),
    counted: (entry) => entry,
    keyring,
    // A running service delivers the messages in the outbox. Otherwise they are delivered after the next start.
    send: createOutbox({ database, keyring }).send,
    emailLimits: { requireRequested: async () => undefined, isNoticeAllowed: async () => true },
    files: createFileServices({
      database,
      keyring,
      operations,
      storage: session.storage,
      limits: () => ({ ...server.storage, ...unlimited }),
    }),
    checkoutUrl: (school) => configOf(school).checkout_url,
    hasPages: (school) => configOf(school).public_pages,
    undoDays: () => server.undo.days,
    undoRules: createUndoRules(operations),
    // The operator acts as a person, not as an app.
    apps: { outgoingDelay: () => 0, limitsLeft: async () => [], offered: () => [] },
  })
}
