import { removeSecondFactors } from '../../../identity/factors/removeFactor.ts'
import { command, removalOptions, schoolOption } from '../command.ts'
import { requirePerson } from '../requirePerson.ts'

/** Helps people who have lost their second factor and their recovery codes. */
export const removeSecondFactor = command({
  name: 'remove-second-factor <person>',
  summary: 'Remove the passkeys, the authenticator app and the recovery codes of a person, who then signs in with the password alone.',
  examples: ['people remove-second-factor ada@example.com', 'people remove-second-factor ada@example.com --yes'],
  options: { ...schoolOption, ...removalOptions },
  async run(session, _options, named) {
    const school = await session.school()
    const { accountId, email } = await requirePerson(school.rows, named)
    await session.confirm(`Remove every second factor of ${email}?`)
    const { passkeys, hadApp } = await school.change(async ({ writer, record }) => {
      const removed = await removeSecondFactors(writer, { schoolId: school.id, accountId })
      const details = { passkeys: removed.passkeys, authenticator_app: removed.hadApp }
      await record({ event: 'operator.second_factor_removed', account_id: accountId, details })
      return removed
    })
    const keys = `${passkeys} ${passkeys === 1 ? 'passkey' : 'passkeys'}`
    session.terminal.out(`${email}: removed ${hadApp ? `the authenticator app and ${keys}` : keys}\n`)
  },
})
