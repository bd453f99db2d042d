import { findClient } from '../../../database/tables/administration.ts'
import { type ClientRow, findAnyClient, saveClient } from '../../../database/tables/clients.ts'
import { newClientSecret } from '../../../identity/oidc/clientOptions.ts'
import { hashSecret } from '../../../identity/oidc/clientSecrets.ts'
import { command, jsonOption, parsed, removalOptions, schoolOption, withDefault } from '../command.ts'
import { failure, usage } from '../failures.ts'

const longestOverlapHours = 24 * 90

export const rotateSecret = command({
  name: 'rotate-secret <client_id>',
  summary: `Generate a new secret, which is printed once and stored as a hash. The client can use the earlier secret until the overlap ends;
a secret that was replaced before ends now. Tokens stay valid. For an integration of a school's file, print the lines to change there.`,
  examples: [
    'integrations rotate-secret newsletter-sync',
    'integrations rotate-secret newsletter-sync --overlap 72 --json',
    'integrations rotate-secret newsletter-sync --overlap 0 --yes',
  ],
  options: {
    ...schoolOption,
    ...removalOptions,
    ...jsonOption,
    overlap: withDefault(parsed('hours', `how long the earlier secret is accepted, 0 to ${longestOverlapHours}`, overlapHours), 24),
  },
  async run(session, { overlap }, id) {
    const { terminal } = session
    const school = await session.school()
    const client = await findClient(await session.prisma(), { schoolId: school.id, id })
    if (!client) throw failure(`integration ${id} does not exist: see integrations list`)
    const current = secretHashOf(client)
    if (overlap === 0) await session.confirm(`End the current secret of ${id} now?`)
    const secret = newClientSecret()
    const until = new Date(Date.now() + overlap * 3_600_000).toISOString()
    const previous = overlap === 0 ? undefined : { hash: current, until }
    const row = { client_id: id, client_secret: secret, previous_secret_until: previous?.until ?? null }
    if (client.registered_via === 'file') {
      session.printOne({ ...row, secret_hash: hashSecret(secret), previous_secret_hash: previous?.hash ?? null })
      return terminal.err(
        `schools/${school.slug}.yaml defines ${id}: set secret_hash, previous_secret_hash and previous_secret_until there as printed, and reload the service. Nothing was changed yet, and the secret is not shown again.\n`,
      )
    }
    await school.change(async ({ writer, record }) => {
      const { metadata, registered_via: registeredVia } = (await findAnyClient(writer, school.id, id)) ?? client
      if (metadata.client_secret !== current) throw failure(`the secret of ${id} was changed meanwhile; nothing was changed`)
      const { previous_client_secret: _, ...kept } = metadata
      const changed = { ...kept, client_secret: hashSecret(secret), ...(previous && { previous_client_secret: previous }) }
      await saveClient(writer, { schoolId: school.id, id, registeredVia, metadata: changed })
      const details = { previous_secret_until: row.previous_secret_until }
      await record({ event: 'operator.secret_rotated', client_id: id, details })
    })
    session.printOne(row)
    terminal.err('The secret is not shown again: copy it now.\n')
  },
})

/** @throws CommanderError for a client whose secret cannot be replaced here */
function secretHashOf({ id, registered_via: via, metadata }: ClientRow): string {
  if (via !== 'file' && via !== 'operator') throw failure(`${id} registered itself: it gets a new secret by registering again`)
  if (typeof metadata.client_secret !== 'string') throw failure(`${id} is a public client: it has no secret`)
  return metadata.client_secret
}

function overlapHours(text: string): number {
  const hours = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (hours <= longestOverlapHours) return hours
  throw usage(`--overlap must be a whole number of hours from 0 to ${longestOverlapHours}, not ${text}`)
}
