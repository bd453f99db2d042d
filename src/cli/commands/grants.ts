import type { Command } from 'commander'
import { subjectOf } from '../../oidc/claims.ts'
import { endGrant } from '../../oidc/stores.ts'
import { findGrant, type ListedGrant, listGrants } from '../../store/administration.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { asJson, define, type JsonOption, type SchoolOption, withSchoolOption, withYesOption, type YesOption } from '../define.ts'
import { failure } from '../failures.ts'
import { requirePerson } from '../requirePerson.ts'
import type { Session } from '../session.ts'
import { moment, printList } from '../table.ts'

/** `grants list` and `grants revoke`. */
export function addGrants(program: Command, session: Session): void {
  const group = define(program, {
    form: 'grants',
    about: 'Manages grants: the permissions that people gave to clients.',
    examples: ['grants list --person ada@example.com', 'grants revoke hjM3kQ0vX'],
  })
  addList(group, session)
  addRevoke(group, session)
}

interface ListOptions extends SchoolOption, JsonOption {
  person?: string
  client?: string
}

function addList(group: Command, session: Session): void {
  const list = define(group, {
    form: 'list',
    about: 'List active grants, newest first.',
    examples: ['grants list', 'grants list --person ada@example.com --json', 'grants list --client newsletter-sync'],
  })
  asJson(withSchoolOption(list))
    .option('--person <email or id>', 'only grants of this person')
    .option('--client <client_id>', 'only grants of this client')
    .action(async ({ school: slug, json, person, client }: ListOptions) => {
      const school = await session.school(slug)
      const one = person === undefined ? undefined : await requirePerson(await session.database(), school.id, person)
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
      }))
      const columns = ['id', 'email', 'client_id', 'client_name', 'scopes', 'created_at']
      printList(session.terminal, rows, { json, columns, empty: 'no grants' })
    })
}

function addRevoke(group: Command, session: Session): void {
  const { terminal } = session
  const revoke = define(group, {
    form: 'revoke <id>',
    about: 'Revoke a grant and all its tokens immediately.',
    examples: ['grants revoke hjM3kQ0vX', 'grants revoke --yes -- -jM3kQ0vX'],
  })
  withYesOption(withSchoolOption(revoke)).action(async (id: string, { school: slug, yes }: SchoolOption & YesOption) => {
    requireAnswer(terminal, { yes })
    const school = await session.school(slug)
    const grant = await findGrant(await session.prisma(), { schoolId: school.id, id })
    if (!grant) throw failure(`grant ${id} does not exist or has ended: see grants list`)
    const clientId = grant.client_id
    await confirm(terminal, `Revoke the grant of ${subjectOf(grant.account_id)} to ${clientId}?`, { yes })
    await session.change(async ({ stores, record }) => {
      await endGrant(await stores(), { schoolId: school.id, grantId: id })
      await record({ school_id: school.id, event: 'operator.grant_revoked', grant_id: id, client_id: clientId })
    })
    terminal.out(`${id} is revoked, and so are its tokens\n`)
  })
}

/** Returns the scopes of a grant. The engine stores one string under `openid` and one for each resource. */
function scopesOf({ payload }: ListedGrant): string[] {
  const openid = payload.openid as { scope?: string } | undefined
  const resources = Object.values((payload.resources ?? {}) as Record<string, string>)
  return [...new Set([openid?.scope ?? '', ...resources].flatMap((text) => text.split(' ')).filter(Boolean))]
}
