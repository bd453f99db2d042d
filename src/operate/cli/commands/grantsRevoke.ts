import { countGrants, listGrants } from '../../../database/tables/administration.ts'
import { type GrantSelection, listGrantKeys } from '../../../database/tables/grants.ts'
import { subjectOf } from '../../../identity/oidc/claims.ts'
import { endGrant } from '../../../identity/oidc/stores.ts'
import { type CommandSession, command, parsed, removalOptions, schoolOption, text } from '../command.ts'
import { failure, usage } from '../failures.ts'
import { reportProgress } from '../reportProgress.ts'
import { requirePerson } from '../requirePerson.ts'
import type { SessionSchool } from '../session.ts'

const grantsAtOnce = 100

export const revoke = command({
  name: 'revoke [id]',
  summary: `Revoke one grant and all its tokens immediately, or every grant of a person, of a client, or from before a time. Several options
select the grants that meet all of them. People and clients stay enabled: they can connect again.`,
  examples: [
    'grants revoke hjM3kQ0vX',
    'grants revoke --yes -- -jM3kQ0vX',
    'grants revoke --person ada@example.com',
    'grants revoke --client newsletter-sync --yes',
    'grants revoke --all-before 2026-11-01T09:30:00Z',
  ],
  options: {
    ...schoolOption,
    ...removalOptions,
    person: text('email or id', 'every grant of this person'),
    client: text('client_id', 'every grant to this client'),
    allBefore: parsed('time', 'every grant given before this time, ISO 8601 with a time zone', timeOf),
  },
  async run(session, { person, client, allBefore }, id) {
    const isSelection = person !== undefined || client !== undefined || allBefore !== undefined
    if ((id === undefined) !== isSelection) throw usage('give either the id of a grant, or --person, --client or --all-before')
    const school = await session.school()
    if (id !== undefined) return await revokeOne(session, school, id)
    const one = person === undefined ? undefined : await requirePerson(school.rows, person)
    await revokeSelected(session, school, { accountId: one?.accountId, clientId: client, before: allBefore })
  },
})

async function revokeOne(session: CommandSession, school: SessionSchool, id: string): Promise<void> {
  const [grant] = await listGrants(await session.prisma(), { schoolId: school.id, id })
  if (!grant) throw failure(`grant ${id} does not exist or has ended: see grants list`)
  await session.confirm(`Revoke the grant of ${subjectOf(grant.account_id)} to ${grant.client_id}?`)
  await revokeAll(school, [grant])
  session.terminal.out(`${id} is revoked, and so are its tokens\n`)
}

async function revokeSelected(session: CommandSession, school: SessionSchool, selection: GrantSelection): Promise<void> {
  const { terminal } = session
  const found = await countGrants(await session.prisma(), { schoolId: school.id, ...selection })
  if (found === 0) return terminal.out('no grants; nothing was changed\n')
  await session.confirm(`Revoke ${found} ${found === 1 ? 'grant' : 'grants'} of ${school.slug} with all their tokens?`)
  const onProgress = reportProgress(terminal)
  let revoked = 0
  // Grants that are given meanwhile are revoked too. Each batch is one transaction, so an interrupted command can be repeated.
  for (;;) {
    const batch = await listGrantKeys(school.rows, school.id, { ...selection, limit: grantsAtOnce })
    if (batch.length === 0) break
    await revokeAll(school, batch)
    revoked += batch.length
    onProgress({ name: 'grants', done: revoked, of: Math.max(found, revoked) })
  }
  terminal.out(`${revoked} ${revoked === 1 ? 'grant is' : 'grants are'} revoked, and so are the tokens\n`)
}

async function revokeAll(school: SessionSchool, grants: Awaited<ReturnType<typeof listGrantKeys>>): Promise<void> {
  await school.change(async ({ stores, record }) => {
    const own = await stores()
    for (const { id, account_id, client_id } of grants) {
      await endGrant(own, { schoolId: school.id, grantId: id })
      await record({ event: 'operator.grant_revoked', account_id, grant_id: id, client_id })
    }
  })
}

/** Parses a time. A day without a time is ambiguous, so it is invalid. */
function timeOf(text: string): Date {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? new Date(text) : undefined
  if (time && !Number.isNaN(time.getTime())) return time
  throw usage(`--all-before must be a time with a time zone such as 2026-11-01T09:30:00Z, not ${text}`)
}
