import type { Command } from 'commander'
import { subjectOf } from '../../oidc/claims.ts'
import { type ListedGrant, listGrants } from '../../store/administration.ts'
import { asJson, define, type JsonOption, type SchoolOption, withSchoolOption } from '../define.ts'
import { requirePerson } from '../requirePerson.ts'
import type { Session } from '../session.ts'
import { moment, printList } from '../table.ts'
import { addMove } from './grantsMove.ts'
import { addRevoke } from './grantsRevoke.ts'

/** `grants list`, `grants revoke` and `grants move`. */
export function addGrants(program: Command, session: Session): void {
  const group = define(program, {
    form: 'grants',
    about: 'Manages grants: the permissions that people gave to clients.',
    examples: ['grants list --person ada@example.com', 'grants revoke hjM3kQ0vX', 'grants revoke --client newsletter-sync'],
  })
  addList(group, session)
  addRevoke(group, session)
  addMove(group, session)
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

/** Returns the scopes of a grant. The engine stores one string under `openid` and one for each resource. */
function scopesOf({ payload }: ListedGrant): string[] {
  const openid = payload.openid as { scope?: string } | undefined
  const resources = Object.values((payload.resources ?? {}) as Record<string, string>)
  return [...new Set([openid?.scope ?? '', ...resources].flatMap((text) => text.split(' ')).filter(Boolean))]
}
