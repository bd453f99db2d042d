import type { Command } from 'commander'
import { subjectOf } from '../../oidc/claims.ts'
import { endGrant } from '../../oidc/stores.ts'
import type { School } from '../../policy/school.ts'
import { findGrant } from '../../store/administration.ts'
import { countLiveGrants, type GrantSelection, listGrantKeys } from '../../store/grants.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { define, type SchoolOption, withSchoolOption, withYesOption, type YesOption } from '../define.ts'
import { failure, usage } from '../failures.ts'
import { reportProgress } from '../reportProgress.ts'
import { requirePerson } from '../requirePerson.ts'
import type { Session } from '../session.ts'

/** Grants of one transaction. */
const grantsAtOnce = 100

interface RevokeOptions extends SchoolOption, YesOption {
  person?: string
  client?: string
  allBefore?: Date
}

/** `grants revoke`. */
export function addRevoke(group: Command, session: Session): void {
  const revoke = define(group, {
    form: 'revoke [id]',
    about: `Revoke one grant and all its tokens immediately, or every grant of a person, of a client, or from before a time. Several options
select the grants that meet all of them. People and clients stay enabled: they can connect again.`,
    examples: [
      'grants revoke hjM3kQ0vX',
      'grants revoke --yes -- -jM3kQ0vX',
      'grants revoke --person ada@example.com',
      'grants revoke --client newsletter-sync --yes',
      'grants revoke --all-before 2026-11-01T09:30:00Z',
    ],
  })
  withYesOption(withSchoolOption(revoke))
    .option('--person <email or id>', 'every grant of this person')
    .option('--client <client_id>', 'every grant to this client')
    .option('--all-before <time>', 'every grant given before this time, ISO 8601 with a time zone', timeOf)
    .action(async (id: string | undefined, { school: slug, yes, person, client, allBefore }: RevokeOptions) => {
      requireAnswer(session.terminal, { yes })
      const isSelection = person !== undefined || client !== undefined || allBefore !== undefined
      if ((id === undefined) !== isSelection) throw usage('give either the id of a grant, or --person, --client or --all-before')
      const school = await session.school(slug)
      if (id !== undefined) return await revokeOne(session, school, id, { yes })
      const one = person === undefined ? undefined : await requirePerson(await session.database(), school.id, person)
      await revokeSelected(session, school, { accountId: one?.accountId, clientId: client, before: allBefore }, { yes })
    })
}

async function revokeOne(session: Session, school: School, id: string, options: YesOption): Promise<void> {
  const grant = await findGrant(await session.prisma(), { schoolId: school.id, id })
  if (!grant) throw failure(`grant ${id} does not exist or has ended: see grants list`)
  await confirm(session.terminal, `Revoke the grant of ${subjectOf(grant.account_id)} to ${grant.client_id}?`, options)
  await revoke(session, school, [{ id, ...grant }])
  session.terminal.out(`${id} is revoked, and so are its tokens\n`)
}

async function revokeSelected(session: Session, school: School, selection: GrantSelection, options: YesOption): Promise<void> {
  const { terminal } = session
  const { kysely } = await session.database()
  const found = await countLiveGrants(kysely, school.id, selection)
  if (found === 0) return terminal.out('no grants; nothing was changed\n')
  await confirm(terminal, `Revoke ${found} ${found === 1 ? 'grant' : 'grants'} of ${school.slug} with all their tokens?`, options)
  const onProgress = reportProgress(terminal)
  let revoked = 0
  // Grants that are given meanwhile are revoked too. Each batch is one transaction, so an interrupted command can be repeated.
  for (;;) {
    const batch = await listGrantKeys(kysely, school.id, { ...selection, limit: grantsAtOnce })
    if (batch.length === 0) break
    await revoke(session, school, batch)
    revoked += batch.length
    onProgress({ name: 'grants', done: revoked, of: Math.max(found, revoked) })
  }
  terminal.out(`${revoked} ${revoked === 1 ? 'grant is' : 'grants are'} revoked, and so are the tokens\n`)
}

/** Revokes grants in one transaction. Each has an entry in the audit trail, which names the grant. */
async function revoke(session: Session, school: School, grants: Awaited<ReturnType<typeof listGrantKeys>>): Promise<void> {
  await session.change(async ({ stores, record }) => {
    const own = await stores()
    for (const { id, account_id, client_id } of grants) {
      await endGrant(own, { schoolId: school.id, grantId: id })
      await record({ school_id: school.id, event: 'operator.grant_revoked', account_id, grant_id: id, client_id })
    }
  })
}

/** Parses a time. A day without a time is ambiguous, so it is invalid. */
function timeOf(text: string): Date {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? new Date(text) : undefined
  if (time && !Number.isNaN(time.getTime())) return time
  throw usage(`--all-before must be a time with a time zone such as 2026-11-01T09:30:00Z, not ${text}`)
}
