import { fromPublicId } from '../../../base/ids.ts'
import { normaliseEmail } from '../../../base/text/emailAddress.ts'
import { accountIdOf } from '../../../identity/oidc/claims.ts'
import { endGrant } from '../../../identity/oidc/stores.ts'
import { eraseByOperator, findErasable } from '../../../school/students/eraseByOperator.ts'
import { command, flag, removalOptions, schoolOption } from '../command.ts'
import { failure, usage } from '../failures.ts'

export const erase = command({
  name: 'erase <person>',
  summary: `Erase the personal data of a person now: profile, login, sessions, grants, and their name and address in orders, forms and
comments. Orders and other records stay without the person. This cannot be undone. Identify the person by e-mail address, by account id, or
by the id of a student or member, also without a login.`,
  examples: [
    'people erase ada@example.com',
    'people erase ada@example.com --dry-run',
    'people erase std_01k9zq4v6tf5wb0m3d8n2xhraj --cancel-subscriptions --yes',
  ],
  options: { ...schoolOption, ...removalOptions, cancelSubscriptions: flag('cancel running subscriptions first') },
  async run(session, { cancelSubscriptions: cancelsSubscriptions = false }, named) {
    const key = keyOf(named)
    const school = await session.school()
    const schoolId = school.id
    const found = await school.change(({ writer }) => findErasable(writer, key))
    if (!found) throw failure(`${school.slug} has no person ${named}, or they are already erased`)
    await session.confirm(`Erase all personal data of ${found.email} in ${school.slug}? This cannot be undone.`)
    await school.change(async ({ writer, stores, record }) => {
      const own = await stores()
      const person = await findErasable(writer, {
        personId: found.personId ?? undefined,
        accountId: found.accountId ?? undefined,
      })
      if (!person) throw failure(`${found.email} was erased meanwhile`)
      const outcome = await eraseByOperator(writer, {
        person,
        now: new Date(),
        cancelsSubscriptions,
        async endGrant(_writer, { grantId, accountId, clientId }) {
          await endGrant(own, { schoolId, grantId })
          await record({ event: 'operator.grant_revoked', account_id: accountId, client_id: clientId, grant_id: grantId })
        },
      })
      if (outcome !== 'erased') throw failure(refusals[outcome](found.email, school.slug))
      // The entry does not contain the address: it would outlive the erasure.
      const account = person.accountId === null ? {} : { account_id: person.accountId }
      await record({ event: 'operator.person_erased', ...account, details: { person: person.personId } })
    })
    session.terminal.out(`${found.email} is erased\n`)
  },
})

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
