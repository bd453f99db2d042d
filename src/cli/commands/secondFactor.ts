import type { Command } from 'commander'
import { removeSecondFactors } from '../../domain/secondFactors/removeSecondFactors.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { define, type SchoolOption, withSchoolOption, withYesOption, type YesOption } from '../define.ts'
import { requirePerson } from '../requirePerson.ts'
import type { Session } from '../session.ts'

/** Adds `people remove-second-factor`, which helps people who have lost their second factor and their recovery codes. */
export function addRemoveSecondFactor(group: Command, session: Session): void {
  const { terminal } = session
  const command = define(group, {
    form: 'remove-second-factor <person>',
    about: 'Remove the passkeys, the authenticator app and the recovery codes of a person, who then signs in with the password alone.',
    examples: ['people remove-second-factor ada@example.com', 'people remove-second-factor ada@example.com --yes'],
  })
  withYesOption(withSchoolOption(command)).action(async (named: string, { school: slug, yes }: SchoolOption & YesOption) => {
    requireAnswer(terminal, { yes })
    const school = await session.school(slug)
    const { accountId, email } = await requirePerson(await session.database(), school.id, named)
    await confirm(terminal, `Remove every second factor of ${email}?`, { yes })
    const { passkeys, hadApp } = await session.change(async ({ writer, record }) => {
      const removed = await removeSecondFactors(writer, { schoolId: school.id, accountId })
      const details = { passkeys: removed.passkeys, authenticator_app: removed.hadApp }
      await record({ school_id: school.id, event: 'operator.second_factor_removed', account_id: accountId, details })
      return removed
    })
    const keys = `${passkeys} ${passkeys === 1 ? 'passkey' : 'passkeys'}`
    terminal.out(`${email}: removed ${hadApp ? `the authenticator app and ${keys}` : keys}\n`)
  })
}
