import type { Keyring } from '../../base/keyring.ts'
import type { Reader } from '../../database/connection/database.ts'
import { rawSql } from '../../database/connection/rawSql.ts'
import { findAccount } from '../../database/tables/accounts.ts'
import type { BrowserSession, BrowserSessions } from '../../database/tables/browserSessions.ts'
import { isSessionOver } from '../signIn/browserSessions.ts'
import { databaseArtifacts } from '../tokens/databaseArtifacts.ts'
import { isSplit, type Stores } from './stores.ts'

const model = 'Session'

/** Lists and ends the browser sessions of an account, for the API, in every store that keeps them. */
export function ownSessions({ stores, keyring }: { stores: Stores; keyring: Keyring }): BrowserSessions {
  const artifactsIn = (transaction: Reader | undefined) =>
    isSplit(stores) || !transaction ? stores.ephemeral : databaseArtifacts(rawSql(transaction))
  return {
    async list(schoolId, accountId, transaction) {
      const account = await findAccount(transaction ?? stores.database, schoolId, accountId)
      if (!account) return []
      const found = await artifactsIn(transaction).findOfAccount(schoolId, model, accountId)
      const sessions = found.flatMap(({ id, payload, expiresAt }): BrowserSession[] => {
        const opened = keyring.tryOpen('artifacts', payload)
        if (opened === undefined) return []
        const { loginTs, uid }: { loginTs?: number; uid?: string } = JSON.parse(opened)
        if (loginTs === undefined || isSessionOver(loginTs, account.sessions_valid_after)) return []
        return [{ id, uid, signedInAt: new Date(loginTs * 1000), expiresAt }]
      })
      return sessions.toSorted((one, other) => other.signedInAt.getTime() - one.signedInAt.getTime())
    },
    end: (writer, schoolId, id) => artifactsIn(writer).destroy({ schoolId, model, id }),
  }
}
