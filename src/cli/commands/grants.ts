import type { Command } from 'commander'
import { listPeople } from '../../domain/people/people.ts'
import { subjectOf } from '../../oidc/claims.ts'
import { endGrant } from '../../oidc/stores.ts'
import { listClients } from '../../store/clients.ts'
import { findGrant, type GrantRow, listGrants } from '../../store/grants.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { asJson, define, type JsonOption, ofSchool, type SchoolOption, unasked, type YesOption } from '../define.ts'
import { failure } from '../failures.ts'
import { requirePerson } from '../requirePerson.ts'
import type { Session } from '../session.ts'
import { moment, printList } from '../table.ts'

/** `grants list` and `grants revoke`. */
export function addGrants(program: Command, session: Session): void {
  const group = define(program, {
    form: 'grants',
    about: 'What people have allowed to clients: one grant for each time they said yes.',
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
    about: 'List living grants, newest first.',
    examples: ['grants list', 'grants list --person ada@example.com --json', 'grants list --client newsletter-sync'],
  })
  asJson(ofSchool(list))
    .option('--person <email or id>', 'only what this person has allowed')
    .option('--client <client_id>', 'only what this client may do')
    .action(async ({ school: slug, json, person, client }: ListOptions) => {
      const school = await session.school(slug)
      const database = await session.database()
      const one = person === undefined ? undefined : await requirePerson(database, school.id, person)
      const grants = await listGrants(database.sql, school.id, {
        ...(one ? { accountId: one.accountId } : {}),
        ...(client === undefined ? {} : { clientId: client }),
      })
      const people = one ? [one] : await listPeople(database.kysely, school.id)
      const emails = new Map(people.map(({ accountId, email }) => [accountId, email]))
      const clients = await listClients(database.sql, school.id)
      const names = new Map(clients.map(({ id, metadata }) => [id, String(metadata.client_name ?? '')]))
      const rows = grants.map((grant) => ({
        id: grant.id,
        account_id: subjectOf(grant.account_id),
        email: emails.get(grant.account_id) ?? null,
        client_id: grant.client_id,
        client_name: names.get(grant.client_id) ?? null,
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
    about: 'End a grant, and every token of it, at once.',
    examples: ['grants revoke hjM3kQ0vX', 'grants revoke --yes -- -jM3kQ0vX'],
  })
  unasked(ofSchool(revoke)).action(async (id: string, { school: slug, yes }: SchoolOption & YesOption) => {
    requireAnswer(terminal, { yes })
    const school = await session.school(slug)
    const grant = await findGrant((await session.database()).sql, school.id, id)
    if (!grant) throw failure(`there is no living grant ${id}: see grants list`)
    const clientId = String(grant.clientId)
    await confirm(terminal, `End what ${String(grant.accountId)} allowed ${clientId}?`, { yes })
    await session.change(async ({ stores, record }) => {
      await endGrant(await stores(), school.id, id)
      await record({ school_id: school.id, event: 'operator.grant_revoked', grant_id: id, client_id: clientId })
    })
    terminal.out(`${id} has ended, and its tokens with it\n`)
  })
}

/** Scopes as the engine stores them: one text under `openid`, one for each resource. */
function scopesOf({ payload }: GrantRow): string[] {
  const openid = payload.openid as { scope?: string } | undefined
  const resources = Object.values((payload.resources ?? {}) as Record<string, string>)
  return [...new Set([openid?.scope ?? '', ...resources].flatMap((text) => text.split(' ')).filter(Boolean))]
}
