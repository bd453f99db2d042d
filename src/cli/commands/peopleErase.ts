import type { Command } from 'commander'
import { eraseByOperator, findErasable } from '../../domain/students/eraseByOperator.ts'
import { normaliseEmail } from '../../lib/emailAddress.ts'
import { fromPublicId } from '../../lib/ids.ts'
import { accountIdOf } from '../../oidc/claims.ts'
import { endGrant } from '../../oidc/stores.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { define, type SchoolOption, withSchoolOption, withYesOption, type YesOption } from '../define.ts'
import { failure, usage } from '../failures.ts'
import type { Session } from '../session.ts'

interface EraseOptions extends SchoolOption, YesOption {
  cancelSubscriptions?: boolean
}

/** `people erase`. */
export function addErase(group: Command, session: Session): void {
  const { terminal } = session
  const erase = define(group, {
    form: 'erase <person>',
    about: `Erase the personal data of a person now: profile, login, sessions, grants, and their name and address in orders, forms and
comments. Orders and other records stay without the person. This cannot be undone. Identify the person by e-mail address, by account id, or
by the id of a student or member, also without a login.`,
    examples: ['people erase ada@example.com', 'people erase std_01k9zq4v6tf5wb0m3d8n2xhraj --cancel-subscriptions --yes'],
  })
  withYesOption(withSchoolOption(erase))
    .option('--cancel-subscriptions', 'cancel running subscriptions first')
    .action(async (named: string, { school: slug, yes, cancelSubscriptions }: EraseOptions) => {
      requireAnswer(terminal, { yes })
      const key = keyOf(named)
      const school = await session.school(slug)
      const schoolId = school.id
      const found = await session.change(({ writer }) => findErasable(writer, schoolId, key))
      if (!found) throw failure(`${school.slug} has no person ${named}, or they are already erased`)
      await confirm(terminal, `Erase all personal data of ${found.email} in ${school.slug}? This cannot be undone.`, { yes })
      await session.change(async ({ writer, stores, record }) => {
        const own = await stores()
        const person = await findErasable(writer, schoolId, {
          personId: found.personId ?? undefined,
          accountId: found.accountId ?? undefined,
        })
        if (!person) throw failure(`${found.email} was erased meanwhile`)
        const outcome = await eraseByOperator(writer, {
          schoolId,
          person,
          now: new Date(),
          cancelsSubscriptions: cancelSubscriptions ?? false,
          async endGrant(_writer, { grantId, accountId, clientId }) {
            await endGrant(own, { schoolId, grantId })
            const about = { account_id: accountId, client_id: clientId, grant_id: grantId }
            await record({ school_id: schoolId, event: 'operator.grant_revoked', ...about })
          },
        })
        if (outcome !== 'erased') throw failure(refusals[outcome](found.email, school.slug))
        // The entry does not contain the address: it would outlive the erasure.
        const account = person.accountId === null ? {} : { account_id: person.accountId }
        await record({ school_id: schoolId, event: 'operator.person_erased', ...account, details: { person: person.personId } })
      })
      terminal.out(`${found.email} is erased\n`)
    })
}

const refusals = {
  last_owner: (email: string, slug: string) => `${email} is the only owner of ${slug}: give another person the role owner first`,
  active_subscription: (email: string) => `${email} has a running subscription: add --cancel-subscriptions to cancel it`,
}

function keyOf(named: string): { personId?: string; accountId?: string; email?: string } {
  const personId = fromPublicId('std', named) ?? fromPublicId('mbr', named)
  if (personId !== undefined) return { personId }
  const accountId = accountIdOf(named)
  if (accountId !== undefined) return { accountId }
  const email = normaliseEmail(named)
  if (email !== undefined) return { email }
  throw usage(`${named} is neither an e-mail address nor an id (acc_, std_ or mbr_ and 26 characters)`)
}
