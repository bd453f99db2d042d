import type { Keyring } from '../../base/keyring.ts'
import type { School } from '../../base/school.ts'
import type { Writer } from '../../database/connection/database.ts'
import { rawSql } from '../../database/connection/rawSql.ts'
import { markedByTransaction } from '../../database/facts/factGuard.ts'
import type { SendMessage } from '../../database/outbox/sendMessage.ts'
import { inSchool } from '../../database/school/inSchool.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import type { EmailLimits, ExternalServices, FileServices, UndoRules } from '../../engine/externalServices.ts'
import type { EndingGrant } from '../../engine/grantRevocation.ts'
import { connectedApps } from '../../identity/accounts/connectedApps.ts'
import { ownSessions } from '../../identity/oidc/ownSessions.ts'
import { endGrant, isSplit, type Stores } from '../../identity/oidc/stores.ts'
import { databaseArtifacts } from '../../identity/tokens/databaseArtifacts.ts'
import { createMarkupRenderer } from '../../school/markupRenderer.ts'
import { countNews } from '../../school/notifications/countNews.ts'
import { checkoutAddressIn } from '../../school/orders/checkoutAddressIn.ts'
import { grantRevoked } from './grantRevoked.ts'

const most = 500

/** Ends a grant within a transaction, with the entry of the audit trail: the durable half goes through its writer. */
export function endGrantWithin(
  stores: Stores,
  writer: Writer,
  { schoolId, grantId }: Pick<EndingGrant, 'schoolId' | 'grantId'>,
  entry: AuditEntry,
): Promise<void> {
  const durable = databaseArtifacts(rawSql(writer))
  const ephemeral = isSplit(stores) ? stores.ephemeral : durable
  return endGrant(
    { ...stores, database: writer, durable, ephemeral, facts: markedByTransaction },
    { schoolId, grantId },
    { audit: [entry] },
  )
}

export function createExternalServices({
  stores,
  keyring,
  counted,
  send,
  emailLimits,
  files,
  checkoutUrl,
  hasPages,
  undoDays,
  undoRules,
  apps,
}: {
  stores: Stores
  counted(entry: AuditEntry): AuditEntry
  keyring: Keyring
  send: SendMessage
  emailLimits: EmailLimits
  files: FileServices
  checkoutUrl(school: School): string | undefined
  hasPages(school: School): boolean
  undoDays(): number
  undoRules: UndoRules
  apps: ExternalServices['apps']
}): ExternalServices {
  const sealing = (purpose: Parameters<Keyring['seal']>[0]) => ({
    seal: (text: string) => keyring.seal(purpose, text),
    open: (sealed: string) => keyring.tryOpen(purpose, sealed),
  })
  return {
    markup: createMarkupRenderer({ onFailure: (reason) => stores.log.warn({ reason }, 'markup not rendered') }),
    send,
    countNews: (writer, school) => countNews(writer, school, { send, hasPages }),
    emailLimits,
    files,
    checkoutAddress: checkoutAddressIn(checkoutUrl),
    hasPages,
    calendarTokens: sealing('calendars'),
    storedResponses: {
      ...sealing('stored responses'),
      // An earlier release stored them as they are, and they are kept for a day.
      open: (stored) => keyring.tryOpen('stored responses', stored) ?? (/^(?:[{[]|$)/.test(stored) ? stored : undefined),
    },
    approvals: sealing('approvals'),
    undo: { days: undoDays, ...sealing('undo'), ...undoRules },
    apps,
    sessions: ownSessions({ stores, keyring }),
    authorizations: {
      async list(schoolId, accountId, reader = stores.database) {
        const { apps } = await connectedApps(inSchool(reader, schoolId), { accountId, limit: most })
        return apps.map(({ name, ...app }) => ({ ...app, clientName: name }))
      },
      end: (writer, grant, revocation) => endGrantWithin(stores, writer, grant, counted(grantRevoked(grant, revocation))),
    },
  }
}
