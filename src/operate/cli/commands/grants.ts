import { isOrigin } from '../../../config/address.ts'
import { type ListedGrant, listGrants } from '../../../database/tables/administration.ts'
import { subjectOf } from '../../../identity/oidc/claims.ts'
import { countGrantsOf, moveGrants } from '../../../identity/tokens/moveGrants.ts'
import { command, group, jsonOption, removalOptions, required, schoolOption, text } from '../command.ts'
import { usage } from '../failures.ts'
import { reportProgress } from '../reportProgress.ts'
import { requirePerson } from '../requirePerson.ts'
import { moment } from '../table.ts'
import { revoke } from './grantsRevoke.ts'

const list = command({
  name: 'list',
  summary: 'List active grants, newest first.',
  examples: ['grants list', 'grants list --person ada@example.com --json', 'grants list --client newsletter-sync'],
  options: {
    ...schoolOption,
    ...jsonOption,
    person: text('email or id', 'only grants of this person'),
    client: text('client_id', 'only grants of this client'),
  },
  async run(session, { person, client }) {
    const school = await session.school()
    const one = person === undefined ? undefined : await requirePerson(school.rows, person)
    const grants = await listGrants(await session.prisma(), { schoolId: school.id, accountId: one?.accountId, clientId: client })
    const rows = grants.map((grant) => ({
      id: grant.id,
      account_id: subjectOf(grant.account_id),
      email: grant.email,
      client_id: grant.client_id,
      client_name: grant.client_name,
      scopes: scopesOf(grant),
      created_at: moment(grant.created_at),
      last_used_at: moment(grant.last_used_at),
      expires_at: moment(grant.expires_at),
      paused_at: moment(grant.paused_at),
    }))
    session.printList(rows, {
      columns: ['id', 'email', 'client_id', 'client_name', 'scopes', 'created_at', 'expires_at'],
      empty: 'no grants',
    })
  },
})

/** Returns the scopes of a grant. The engine stores one string under `openid` and one for each resource. */
function scopesOf({ payload }: ListedGrant): string[] {
  const openid = payload.openid as { scope?: string } | undefined
  const resources = Object.values((payload.resources ?? {}) as Record<string, string>)
  return [...new Set([openid?.scope ?? '', ...resources].flatMap((text) => text.split(' ')).filter(Boolean))]
}

/** Each batch is one transaction, so an interrupted command can be repeated. */
const grantsAtOnce = 500

const move = command({
  name: 'move',
  summary: `Move the grants that people gave at a former address of the school to its current one, after its issuer was changed. Clients that
learn the new address refresh their tokens there. Without this command, the clients have to start over, and people have to allow them again.`,
  examples: ['grants move --from https://old.example.com', 'grants move --from https://old.example.com --school demo --yes'],
  options: { ...schoolOption, ...removalOptions, from: required(text('issuer', 'the former issuer, exactly as it was configured')) },
  async run(session, { from }) {
    const { terminal } = session
    if (!isOrigin(from)) throw usage(`--from must be an issuer such as https://school.example.com, without a path, not ${from}`)
    const school = await session.school()
    const { sql } = await session.database()
    const { issuer: to, id: schoolId } = school
    if (from === to) throw usage(`--from is the current issuer of ${school.slug}: give the former one`)
    const found = await countGrantsOf(sql, { schoolId, from })
    if (found === 0) return terminal.out(`no grants of ${from}; nothing was changed\n`)
    await session.confirm(`Move ${found} ${found === 1 ? 'grant' : 'grants'} from ${from} to ${to}?`)
    const onProgress = reportProgress(terminal)
    let moved = 0
    for (;;) {
      const count = await school.change(async ({ sql, record }) => {
        const count = await moveGrants(sql, { schoolId, from, to }, grantsAtOnce)
        if (count > 0) await record({ event: 'operator.grants_moved', details: { from, to, grants: count } })
        return count
      })
      if (count === 0) break
      moved += count
      onProgress({ name: 'grants', done: moved, of: Math.max(found, moved) })
    }
    terminal.out(`${moved} ${moved === 1 ? 'grant is' : 'grants are'} moved to ${to}\n`)
  },
})

export const grants = group(
  {
    name: 'grants',
    summary: 'Manages grants: the permissions that people gave to clients.',
    examples: ['grants list --person ada@example.com', 'grants revoke hjM3kQ0vX', 'grants revoke --client newsletter-sync'],
  },
  [list, revoke, move],
)
