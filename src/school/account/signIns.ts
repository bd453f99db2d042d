import { hashedId } from '../../base/ids.ts'
import { networkKey } from '../../base/net/networkKey.ts'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import type { BrowserSession } from '../../database/tables/browserSessions.ts'
import { listSignInOrigins } from '../../database/tables/signInOrigins.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'

/** A browser in which a person is signed in, with the device and the network of the sign-in as far as the audit trail has them. */
export interface SignIn {
  /** The public id: `ses_…`. */
  id: string
  /** The id by which pages know the session of their browser. */
  uid: string | undefined
  signedInAt: Date
  expiresAt: Date
  browser: string | null
  system: string | null
  /** The network from which the person signed in, such as `192.0.2.0/24`. */
  network: string | null
}

type Sessions = Pick<ExternalServices, 'sessions'>

const sessionId = (id: string): string => hashedId('ses', id)

export async function listSignIns(
  { database, externalServices: { sessions } }: { database: SchoolReader; externalServices: Sessions },
  accountId: string,
): Promise<SignIn[]> {
  const found = await sessions.list(database.schoolId, accountId)
  const times = [...new Set(found.map(secondOf))]
  const origins = Map.groupBy(await listSignInOrigins(database, database.schoolId, { accountId, times }), (row) => row.signed_in_at)
  return found.map((session) => {
    const { id, uid, signedInAt, expiresAt } = session
    const candidates = (origins.get(secondOf(session)) ?? []).map(({ browser, address }) => ({
      browser: browser?.browser ?? null,
      system: browser?.system ?? null,
      network: address === null ? null : networkKey(address),
    }))
    // Several sign-ins in the same second: only what all of them share is certain.
    const shared = <Key extends 'browser' | 'system' | 'network'>(key: Key): string | null =>
      candidates.every((one) => one[key] === candidates[0]?.[key]) ? (candidates[0]?.[key] ?? null) : null
    return {
      ...{ id: sessionId(id), uid, signedInAt, expiresAt },
      ...{ browser: shared('browser'), system: shared('system'), network: shared('network') },
    }
  })
}

export async function endOtherSessions(
  writer: SchoolWriter,
  { sessions }: Sessions,
  { accountId, uid }: { accountId: string; uid: string },
): Promise<number> {
  let ended = 0
  for (;;) {
    const others = (await sessions.list(writer.schoolId, accountId, writer)).filter((session) => session.uid !== uid)
    if (others.length === 0 || ended > most) return ended
    for (const { id } of others) await sessions.end(writer, writer.schoolId, id)
    ended += others.length
  }
}

/** A store lists a limited number of sessions at a time. No account has more than this. */
const most = 10_000

export async function endSignIn(
  writer: SchoolWriter,
  { sessions }: Sessions,
  { accountId, id }: { accountId: string; id: string },
): Promise<boolean> {
  const found = (await sessions.list(writer.schoolId, accountId, writer)).find((session) => sessionId(session.id) === id)
  if (found) await sessions.end(writer, writer.schoolId, found.id)
  return found !== undefined
}

const secondOf = ({ signedInAt }: Pick<BrowserSession, 'signedInAt'>): number => Math.floor(signedInAt.getTime() / 1000)
