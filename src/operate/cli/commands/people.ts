import { roles } from '../../../base/caller.ts'
import { normaliseEmail } from '../../../base/text/emailAddress.ts'
import { activePeriods, countActivePeople } from '../../../database/tables/activePeople.ts'
import { schoolBranding } from '../../../database/tables/schools.ts'
import { hashPassword } from '../../../identity/accounts/password.ts'
import { personName } from '../../../identity/accounts/signUp.ts'
import { removeSecondFactors } from '../../../identity/factors/authenticatorApp.ts'
import { subjectOf } from '../../../identity/oidc/claims.ts'
import {
  createPerson,
  disableAccount,
  enableAccount,
  type ListedPerson,
  listPeople,
  setPassword,
  setRole,
} from '../../../school/people/people.ts'
import { choice, command, flag, group, jsonOption, parsed, removalOptions, required, schoolOption, text, withDefault } from '../command.ts'
import { failure, usage } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { readPassword, requirePasswordSource } from '../readPassword.ts'
import { requirePerson } from '../requirePerson.ts'
import type { SessionSchool } from '../session.ts'
import { type Listed, moment } from '../table.ts'
import { endGrants } from '../tokens.ts'
import { erase } from './peopleErase.ts'

const passwordOption = { passwordStdin: flag('read the password from standard input instead of asking') }

const list = command({
  name: 'list',
  summary: 'List all people with a login, by e-mail address.',
  examples: ['people list', 'people list --role owner', 'people list --json'],
  options: { ...schoolOption, ...jsonOption, role: choice('role', 'only people with this role', roles) },
  async run(session, { role }) {
    const school = await session.school()
    const people = await listPeople(school.rows)
    const rows = people.filter((person) => role === undefined || person.role === role).map(listed)
    session.printList(rows, { columns: ['email', 'name', 'role', 'state', 'last_sign_in_at', 'account_id'], empty: 'no people' })
  },
})

const create = command({
  name: 'create <email>',
  summary: 'Create a login. If a person with this e-mail address exists, the login is attached to them: check the address first.',
  examples: [
    'people create ada@example.com --name "Ada Byron" --role owner',
    'people create ada@example.com --name "Ada Byron" --password-stdin < password.txt',
  ],
  options: {
    ...schoolOption,
    ...jsonOption,
    ...passwordOption,
    name: required(text('text', 'full name')),
    role: withDefault(choice('role', 'role in the school', roles), 'learner'),
    emailVerified: flag('mark the e-mail address as verified'),
  },
  async run(session, { name: typedName, role, emailVerified: isEmailVerified = false, passwordStdin }, typed) {
    const { terminal } = session
    const email = normaliseEmail(typed)
    if (email === undefined) throw usage(`${typed} is not an e-mail address`)
    const name = personName(typedName)
    if (name === undefined) throw usage('--name must have 1 to 120 characters')
    requirePasswordSource(terminal, passwordStdin)
    const school = await session.schoolToFill()
    const [there] = await listPeople(school.rows, { email })
    if (there) throw hasLogin(email)
    const passwordHash = await hashPassword(
      await readPassword(terminal, { email, name, schoolName: await nameOf(school), fromInput: passwordStdin }),
    )
    const { accountId } = await school.change(async ({ writer, record }) => {
      const created = await createPerson(writer, { email, name, role, isEmailVerified, passwordHash })
      if (!created) throw hasLogin(email)
      await record({ event: 'operator.person_created', account_id: created.accountId, details: { role } })
      return created
    })
    session.printOne({ account_id: subjectOf(accountId), email, name, role })
  },
})

const hasLogin = (email: string) => failure(`${email} already has a login: use people set-role or people set-password`)

const changeRole = command({
  name: 'set-role <person> <role>',
  summary: `Set the role of a person: ${roles.join(', ')}. It applies from the next request, also to existing tokens.`,
  examples: ['people set-role ada@example.com admin', 'people set-role acc_01k9zq4v6tf5wb0m3d8n2xhraj learner'],
  options: schoolOption,
  choices: { role: roles },
  async run(session, _options, named, role) {
    const wanted = roles.find((known) => known === role)
    if (!wanted) throw usage(`${role} is not a role: choose one of ${roles.join(', ')}`)
    const school = await session.school()
    const { accountId, email } = await requirePerson(school.rows, named)
    const before = await school.change(async ({ writer, record }) => {
      const changed = await setRole(writer, { accountId, role: wanted })
      if ('refused' in changed) throw failure(`${email} is the only owner of ${school.slug}: give another person the role owner first`)
      const details = { before: changed.before, role: wanted }
      if (changed.before !== wanted) await record({ event: 'operator.role_set', account_id: accountId, details })
      return changed.before
    })
    session.terminal.out(
      before === wanted ? `${email} already has the role ${wanted}\n` : `${email} now has the role ${wanted}; before: ${before}\n`,
    )
  },
})

const changePassword = command({
  name: 'set-password <person>',
  summary: 'Set a new password and sign the person out of every browser. Grants to clients stay active: use people disable to revoke them.',
  examples: ['people set-password ada@example.com', 'people set-password ada@example.com --password-stdin < password.txt'],
  options: { ...schoolOption, ...passwordOption },
  async run(session, { passwordStdin }, named) {
    const { terminal } = session
    requirePasswordSource(terminal, passwordStdin)
    const school = await session.school()
    const { accountId, email, name } = await requirePerson(school.rows, named)
    const passwordHash = await hashPassword(
      await readPassword(terminal, { email, name, schoolName: await nameOf(school), fromInput: passwordStdin }),
    )
    await school.change(async ({ writer, record }) => {
      await setPassword(writer, { accountId, passwordHash })
      await record({ event: 'operator.password_set', account_id: accountId })
    })
    terminal.out(`${email} can sign in with the new password\n`)
  },
})

const disable = command({
  name: 'disable <person>',
  summary: 'Disable a login, end its sessions and revoke its grants.',
  examples: ['people disable ada@example.com', 'people disable ada@example.com --yes'],
  options: { ...schoolOption, ...removalOptions },
  async run(session, _options, named) {
    const { terminal } = session
    const school = await session.school()
    const { accountId, email } = await requirePerson(school.rows, named)
    await session.confirm(`Disable ${email} and revoke all their grants?`)
    // Disables the login first, then ends grants. After a failure, a second run finishes the rest.
    await school.change(async ({ writer, record }) => {
      await disableAccount(writer, { accountId })
      await record({ event: 'operator.person_disabled', account_id: accountId })
    })
    const ended = await withProgress(terminal, `revoking the grants of ${email}`, () =>
      school.change(async ({ stores, record }) => {
        const grants = await endGrants(await stores(), school.id, accountId)
        if (grants > 0) await record({ event: 'operator.grants_revoked', account_id: accountId, details: { grants } })
        return grants
      }),
    ).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      throw failure(`${email} is disabled, but some grants are not revoked: run this command again (${message})`)
    })
    terminal.out(`${email} is disabled; ${ended} ${ended === 1 ? 'grant is' : 'grants are'} revoked\n`)
  },
})

const enable = command({
  name: 'enable <person>',
  summary: 'Enable a disabled login. Revoked grants stay revoked.',
  examples: ['people enable ada@example.com'],
  options: schoolOption,
  async run(session, _options, named) {
    const school = await session.school()
    const { accountId, email, isDisabled } = await requirePerson(school.rows, named)
    if (!isDisabled) throw failure(`${email} is not disabled`)
    await school.change(async ({ writer, record }) => {
      await enableAccount(writer, { accountId })
      await record({ event: 'operator.person_enabled', account_id: accountId })
    })
    session.terminal.out(`${email} can sign in again\n`)
  },
})

/** Helps people who have lost their second factor and their recovery codes. */
const removeSecondFactor = command({
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

const longestDays = 400

const active = command({
  name: 'active',
  summary: `Count active people: those with a login who signed in, or whose app called the API. Without --days, the periods are the last
${activePeriods.join(', ')} days.`,
  examples: ['people active', 'people active --days 90 --json'],
  options: { ...schoolOption, ...jsonOption, days: parsed('count', `only this period, 1 to ${longestDays} days`, daysIn) },
  async run(session, { days }) {
    const school = await session.school()
    const periods = days === undefined ? activePeriods : [days]
    const counts = await countActivePeople((await session.database()).kysely, { days: periods, schoolId: school.id })
    const rows = periods.map((period, index) => ({ school: school.slug, days: period, people: counts[index] ?? 0 }))
    session.printList(rows, { columns: ['school', 'days', 'people'], empty: 'no periods' })
  },
})

function daysIn(text: string, option: string): number {
  const days = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN
  if (days <= longestDays) return days
  throw usage(`${option} must be a whole number from 1 to ${longestDays}, not ${text}`)
}

export const people = group(
  {
    name: 'people',
    summary: 'Manages people with a login. Identify a person by e-mail address or account id.',
    examples: ['people list', 'people create ada@example.com --name "Ada Byron" --role owner'],
  },
  [list, active, create, changeRole, changePassword, disable, enable, erase, removeSecondFactor],
)

const nameOf = async (school: SessionSchool): Promise<string> => (await schoolBranding(school.rows, school.id)).name

function listed({ accountId, email, name, role, isDisabled, hasPassword, createdAt, lastSignInAt }: ListedPerson): Listed {
  return {
    account_id: subjectOf(accountId),
    email,
    name,
    role,
    state: isDisabled ? 'disabled' : 'enabled',
    has_password: hasPassword,
    created_at: moment(createdAt),
    last_sign_in_at: moment(lastSignInAt),
  }
}
