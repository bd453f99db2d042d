import type { Command } from 'commander'
import { newClientSecret } from '../../oidc/clientOptions.ts'
import { hashSecret } from '../../oidc/clientSecrets.ts'
import { findClient } from '../../store/administration.ts'
import { type ClientRow, findAnyClient, saveClient } from '../../store/clients.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { asJson, define, type JsonOption, type SchoolOption, withSchoolOption, withYesOption, type YesOption } from '../define.ts'
import { failure, usage } from '../failures.ts'
import type { Session } from '../session.ts'
import { printOne } from '../table.ts'

const longestOverlapHours = 24 * 90

interface RotateOptions extends SchoolOption, JsonOption, YesOption {
  overlap: number
}

/** `integrations rotate-secret`. */
export function addRotateSecret(group: Command, session: Session): void {
  const { terminal } = session
  const rotate = define(group, {
    form: 'rotate-secret <client_id>',
    about: `Generate a new secret, which is printed once and stored as a hash. The client can use the earlier secret until the overlap ends;
a secret that was replaced before ends now. Tokens stay valid. For an integration of a school's file, print the lines to change there.`,
    examples: [
      'integrations rotate-secret newsletter-sync',
      'integrations rotate-secret newsletter-sync --overlap 72 --json',
      'integrations rotate-secret newsletter-sync --overlap 0 --yes',
    ],
  })
  asJson(withYesOption(withSchoolOption(rotate)))
    .option('--overlap <hours>', `how long the earlier secret is accepted, 0 to ${longestOverlapHours}`, overlapHours, 24)
    .action(async (id: string, { school: slug, json, yes, overlap }: RotateOptions) => {
      if (overlap === 0) requireAnswer(terminal, { yes })
      const school = await session.school(slug)
      const client = await findClient(await session.prisma(), { schoolId: school.id, id })
      if (!client) throw failure(`integration ${id} does not exist: see integrations list`)
      const current = secretHashOf(client)
      if (overlap === 0) await confirm(terminal, `End the current secret of ${id} now?`, { yes })
      const secret = newClientSecret()
      const until = new Date(Date.now() + overlap * 3_600_000).toISOString()
      const previous = overlap === 0 ? undefined : { hash: current, until }
      const row = { client_id: id, client_secret: secret, previous_secret_until: previous?.until ?? null }
      if (client.registered_via === 'file') {
        const lines = { secret_hash: hashSecret(secret), previous_secret_hash: previous?.hash ?? null }
        printOne(terminal, { ...row, ...lines }, { json })
        return terminal.err(
          `schools/${school.slug}.yaml defines ${id}: set secret_hash, previous_secret_hash and previous_secret_until there as printed, and reload the service. Nothing was changed yet, and the secret is not shown again.\n`,
        )
      }
      await session.change(async ({ writer, record }) => {
        const { metadata, registered_via: registeredVia } = (await findAnyClient(writer, school.id, id)) ?? client
        if (metadata.client_secret !== current) throw failure(`the secret of ${id} was changed meanwhile; nothing was changed`)
        const { previous_client_secret: _, ...kept } = metadata
        const changed = { ...kept, client_secret: hashSecret(secret), ...(previous && { previous_client_secret: previous }) }
        await saveClient(writer, { schoolId: school.id, id, registeredVia, metadata: changed })
        const details = { previous_secret_until: row.previous_secret_until }
        await record({ school_id: school.id, event: 'operator.secret_rotated', client_id: id, details })
      })
      printOne(terminal, row, { json })
      terminal.err('The secret is not shown again: copy it now.\n')
    })
}

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
