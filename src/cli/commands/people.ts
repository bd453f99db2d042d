import type { Command } from 'commander'
import { Option } from 'commander'
import { hashPassword } from '../../domain/accounts/password.ts'
import { personName } from '../../domain/accounts/signUp.ts'
import {
  createPerson,
  disableAccount,
  enableAccount,
  type ListedPerson,
  listPeople,
  setPassword,
  setRole,
} from '../../domain/people/people.ts'
import { normaliseEmail } from '../../lib/emailAddress.ts'
import { subjectOf } from '../../oidc/claims.ts'
import { type Role, roles } from '../../policy/caller.ts'
import type { School } from '../../policy/school.ts'
import { schoolBranding } from '../../store/schools.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { asJson, define, type JsonOption, type SchoolOption, withSchoolOption, withYesOption, type YesOption } from '../define.ts'
import { failure, usage } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { readPassword, requirePasswordSource } from '../readPassword.ts'
import { requirePerson } from '../requirePerson.ts'
import type { Session } from '../session.ts'
import { type Listed, moment, printList, printOne } from '../table.ts'
import { endGrants } from '../tokens.ts'
import { addErase } from './peopleErase.ts'
import { addRemoveSecondFactor } from './secondFactor.ts'

/** `people list`, `create`, `set-role`, `set-password`, `disable`, `enable`, `erase` and `remove-second-factor`. */
export function addPeople(program: Command, session: Session): void {
  const group = define(program, {
    form: 'people',
    about: 'Manages people with a login. Identify a person by e-mail address or account id.',
    examples: ['people list', 'people create ada@example.com --name "Ada Byron" --role owner'],
  })
  addList(group, session)
  addCreate(group, session)
  addSetRole(group, session)
  addSetPassword(group, session)
  addDisable(group, session)
  addEnable(group, session)
  addErase(group, session)
  addRemoveSecondFactor(group, session)
}

function addList(group: Command, session: Session): void {
  const list = define(group, {
    form: 'list',
    about: 'List all people with a login, by e-mail address.',
    examples: ['people list', 'people list --role owner', 'people list --json'],
  })
  asJson(withSchoolOption(list))
    .addOption(new Option('--role <role>', 'only people with this role').choices(roles))
    .action(async ({ school: slug, json, role }: SchoolOption & JsonOption & { role?: Role }) => {
      const school = await session.school(slug)
      const people = await listPeople((await session.database()).kysely, school.id)
      const rows = people.filter((person) => role === undefined || person.role === role).map(listed)
      const columns = ['email', 'name', 'role', 'state', 'last_sign_in_at', 'account_id']
      printList(session.terminal, rows, { json, columns, empty: 'no people' })
    })
}

interface CreateOptions extends SchoolOption, JsonOption {
  name: string
  role: Role
  emailVerified?: boolean
  passwordStdin?: boolean
}

function addCreate(group: Command, session: Session): void {
  const { terminal } = session
  const create = define(group, {
    form: 'create <email>',
    about: 'Create a login. If a person with this e-mail address exists, the login is attached to them: check the address first.',
    examples: [
      'people create ada@example.com --name "Ada Byron" --role owner',
      'people create ada@example.com --name "Ada Byron" --password-stdin < password.txt',
    ],
  })
  fromStdin(asJson(withSchoolOption(create)))
    .requiredOption('--name <text>', 'full name')
    .addOption(new Option('--role <role>', 'role in the school').choices(roles).default('learner'))
    .option('--email-verified', 'mark the e-mail address as verified')
    .action(async (typed: string, { school: slug, json, name: typedName, role, emailVerified, passwordStdin }: CreateOptions) => {
      const email = normaliseEmail(typed)
      if (email === undefined) throw usage(`${typed} is not an e-mail address`)
      const name = personName(typedName)
      if (name === undefined) throw usage('--name must have 1 to 120 characters')
      requirePasswordSource(terminal, passwordStdin)
      const school = await session.schoolToFill(slug)
      const [there] = await listPeople((await session.database()).kysely, school.id, { email })
      if (there) throw hasLogin(email)
      const passwordHash = await hashPassword(
        await readPassword(terminal, { email, name, schoolName: await nameOf(session, school), fromInput: passwordStdin }),
      )
      const { accountId } = await session.change(async ({ writer, record }) => {
        const isEmailVerified = emailVerified ?? false
        const made = await createPerson(writer, { schoolId: school.id, email, name, role, isEmailVerified, passwordHash })
        if (!made) throw hasLogin(email)
        await record({ school_id: school.id, event: 'operator.person_created', account_id: made.accountId, details: { role } })
        return made
      })
      printOne(terminal, { account_id: subjectOf(accountId), email, name, role }, { json })
    })
}

const hasLogin = (email: string) => failure(`${email} already has a login: use people set-role or people set-password`)

function addSetRole(group: Command, session: Session): void {
  const { terminal } = session
  const setRoleCommand = define(group, {
    form: 'set-role <person> <role>',
    about: `Set the role of a person: ${roles.join(', ')}. It applies from the next request, also to existing tokens.`,
    examples: ['people set-role ada@example.com admin', 'people set-role acc_01k9zq4v6tf5wb0m3d8n2xhraj learner'],
  })
  withSchoolOption(setRoleCommand).action(async (named: string, role: string, { school: slug }: SchoolOption) => {
    const wanted = roles.find((known) => known === role)
    if (!wanted) throw usage(`${role} is not a role: choose one of ${roles.join(', ')}`)
    const school = await session.school(slug)
    const { accountId, email } = await requirePerson(await session.database(), school.id, named)
    const before = await session.change(async ({ writer, record }) => {
      const changed = await setRole(writer, { schoolId: school.id, accountId, role: wanted })
      if ('refused' in changed) throw failure(`${email} is the only owner of ${school.slug}: give another person the role owner first`)
      const details = { before: changed.before, role: wanted }
      if (changed.before !== wanted) await record({ school_id: school.id, event: 'operator.role_set', account_id: accountId, details })
      return changed.before
    })
    terminal.out(
      before === wanted ? `${email} already has the role ${wanted}\n` : `${email} now has the role ${wanted}; before: ${before}\n`,
    )
  })
}

function addSetPassword(group: Command, session: Session): void {
  const { terminal } = session
  const setPasswordCommand = define(group, {
    form: 'set-password <person>',
    about: 'Set a new password and sign the person out of every browser. Grants to clients stay active: use people disable to revoke them.',
    examples: ['people set-password ada@example.com', 'people set-password ada@example.com --password-stdin < password.txt'],
  })
  fromStdin(withSchoolOption(setPasswordCommand)).action(
    async (named: string, { school: slug, passwordStdin }: SchoolOption & { passwordStdin?: boolean }) => {
      requirePasswordSource(terminal, passwordStdin)
      const school = await session.school(slug)
      const { accountId, email, name } = await requirePerson(await session.database(), school.id, named)
      const passwordHash = await hashPassword(
        await readPassword(terminal, { email, name, schoolName: await nameOf(session, school), fromInput: passwordStdin }),
      )
      await session.change(async ({ writer, record }) => {
        await setPassword(writer, { schoolId: school.id, accountId, passwordHash })
        await record({ school_id: school.id, event: 'operator.password_set', account_id: accountId })
      })
      terminal.out(`${email} can sign in with the new password\n`)
    },
  )
}

function addDisable(group: Command, session: Session): void {
  const { terminal } = session
  const disable = define(group, {
    form: 'disable <person>',
    about: 'Disable a login, end its sessions and revoke its grants.',
    examples: ['people disable ada@example.com', 'people disable ada@example.com --yes'],
  })
  withYesOption(withSchoolOption(disable)).action(async (named: string, { school: slug, yes }: SchoolOption & YesOption) => {
    requireAnswer(terminal, { yes })
    const school = await session.school(slug)
    const { accountId, email } = await requirePerson(await session.database(), school.id, named)
    await confirm(terminal, `Disable ${email} and revoke all their grants?`, { yes })
    // Disables the login first, then ends grants. After a failure, a second run finishes the rest.
    await session.change(async ({ writer, record }) => {
      await disableAccount(writer, { schoolId: school.id, accountId })
      await record({ school_id: school.id, event: 'operator.person_disabled', account_id: accountId })
    })
    const ended = await withProgress(terminal, `revoking the grants of ${email}`, () =>
      session.change(async ({ stores, record }) => {
        const grants = await endGrants(await stores(), school.id, accountId)
        if (grants > 0) await record({ school_id: school.id, event: 'operator.grants_revoked', account_id: accountId, details: { grants } })
        return grants
      }),
    ).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      throw failure(`${email} is disabled, but some grants are not revoked: run this command again (${message})`)
    })
    terminal.out(`${email} is disabled; ${ended} ${ended === 1 ? 'grant is' : 'grants are'} revoked\n`)
  })
}

function addEnable(group: Command, session: Session): void {
  const enable = define(group, {
    form: 'enable <person>',
    about: 'Enable a disabled login. Revoked grants stay revoked.',
    examples: ['people enable ada@example.com'],
  })
  withSchoolOption(enable).action(async (named: string, { school: slug }: SchoolOption) => {
    const school = await session.school(slug)
    const { accountId, email, isDisabled } = await requirePerson(await session.database(), school.id, named)
    if (!isDisabled) throw failure(`${email} is not disabled`)
    await session.change(async ({ writer, record }) => {
      await enableAccount(writer, { schoolId: school.id, accountId })
      await record({ school_id: school.id, event: 'operator.person_enabled', account_id: accountId })
    })
    session.terminal.out(`${email} can sign in again\n`)
  })
}

const nameOf = async (session: Session, school: School): Promise<string> =>
  (await schoolBranding((await session.database()).kysely, school.id)).name

const fromStdin = (command: Command): Command =>
  command.option('--password-stdin', 'read the password from standard input instead of asking')

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
