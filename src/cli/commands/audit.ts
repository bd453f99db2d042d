import type { Command } from 'commander'
import { subjectOf } from '../../oidc/claims.ts'
import { listAudit } from '../../store/administration.ts'
import { asJson, define, type JsonOption, type SchoolOption, withSchoolOption } from '../define.ts'
import { usage } from '../failures.ts'
import { requirePerson } from '../requirePerson.ts'
import type { Session } from '../session.ts'
import { moment, printList } from '../table.ts'

interface ListOptions extends SchoolOption, JsonOption {
  event?: string
  person?: string
  client?: string
  limit: string
}

/** `audit list`. */
export function addAudit(program: Command, session: Session): void {
  const group = define(program, {
    form: 'audit',
    about: 'Shows the audit log: security-relevant events of the service and of its operators.',
    examples: ['audit list', 'audit list --event operator'],
  })
  const list = define(group, {
    form: 'list',
    about: 'List entries of the audit log, newest first.',
    examples: ['audit list --event grant.revoked', 'audit list --person ada@example.com --limit 20 --json', 'audit list --event operator'],
  })
  asJson(withSchoolOption(list))
    .option('--event <event or area>', 'only this event, or the events of this area')
    .option('--person <email or id>', 'only entries of this person')
    .option('--client <client_id>', 'only entries of this client')
    .option('--limit <number>', 'maximum number of entries', '100')
    .action(async ({ school: slug, json, event, person, client, limit }: ListOptions) => {
      if (!/^[1-9]\d{0,4}$/.test(limit)) throw usage('--limit must be a number from 1 to 99999')
      const school = await session.school(slug)
      const one = person === undefined ? undefined : await requirePerson(await session.database(), school.id, person)
      const entries = await listAudit(await session.prisma(), {
        schoolId: school.id,
        event,
        accountId: one?.accountId,
        clientId: client,
        limit: Number(limit),
      })
      const rows = entries.map((entry) => ({
        at: moment(entry.at),
        event: entry.event,
        account_id: entry.account_id === null ? null : accountIn(entry.account_id),
        client_id: entry.client_id,
        grant_id: entry.grant_id,
        request_id: entry.request_id,
        address: entry.address,
        details: JSON.stringify(entry.details),
      }))
      printList(session.terminal, rows, { json, columns: ['at', 'event', 'account_id', 'client_id', 'details'], empty: 'no entries' })
    })
}

/** Returns the public id of an account. Other texts stay as they are. */
const accountIn = (text: string): string => (/^[0-9a-f-]{36}$/.test(text) ? subjectOf(text) : text)
