import type { Command } from 'commander'
import { generateSigningKey, signingAlgorithms } from '../../oidc/signingKeys.ts'
import { listSigningKeys } from '../../store/administration.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { asJson, define, type JsonOption, type SchoolOption, withSchoolOption, withYesOption, type YesOption } from '../define.ts'
import { failure } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { keyState, type Retirement, retireKey, rotateKeys } from '../rotateKeys.ts'
import type { Session } from '../session.ts'
import { moment, printList } from '../table.ts'

/** `keys list`, `keys rotate` and `keys retire`. */
export function addKeys(program: Command, session: Session): void {
  const group = define(program, {
    form: 'keys',
    about: 'Manages the keys that sign ID tokens. Running processes apply changes within five seconds.',
    examples: ['keys list', 'keys rotate'],
  })
  addList(group, session)
  addRotate(group, session)
  addRetire(group, session)
}

function addList(group: Command, session: Session): void {
  const list = define(group, {
    form: 'list',
    about: 'List published keys: upcoming, signing and retired.',
    examples: ['keys list', 'keys list --school demo --json'],
  })
  asJson(withSchoolOption(list)).action(async ({ school: slug, json }: SchoolOption & JsonOption) => {
    const school = await session.school(slug)
    const keepHours = session.settings().config.oauth.signing_keys.keep_after_retirement_hours
    const keys = await listSigningKeys(await session.prisma(), { schoolId: school.id, keepHours })
    const rows = keys.map((key) => ({
      kid: key.kid,
      alg: key.alg,
      state: keyState(key),
      created_at: moment(key.created_at),
      active_at: moment(key.active_at),
      retired_at: moment(key.retired_at),
      published_until: moment(key.retired_at && new Date(key.retired_at.getTime() + keepHours * 3_600_000)),
    }))
    printList(session.terminal, rows, {
      json,
      columns: ['kid', 'alg', 'state', 'active_at', 'retired_at'],
      empty: 'no keys yet: the service creates them at the first request to the school',
    })
  })
}

function addRotate(group: Command, session: Session): void {
  const { terminal } = session
  const rotate = define(group, {
    form: 'rotate',
    about: 'Generate and publish a key for each algorithm. It starts signing after signing_keys.publish_before_use_minutes.',
    examples: ['keys rotate', 'keys rotate --school demo', 'keys rotate --now --yes'],
  })
  withYesOption(withSchoolOption(rotate))
    .option('--now', 'start signing immediately: verifiers with a cached key set fail until they refresh it')
    .action(async ({ school: slug, now, yes }: SchoolOption & YesOption & { now?: boolean }) => {
      if (now) requireAnswer(terminal, { yes })
      const school = await session.schoolToFill(slug)
      if (now) await confirm(terminal, `Start signing with new keys of ${school.slug} immediately?`, { yes })
      const keyring = session.keyring()
      const publishSeconds = now ? 0 : session.settings().config.oauth.signing_keys.publish_before_use_minutes * 60
      const made = await withProgress(terminal, 'generating keys', () => Promise.all(signingAlgorithms.map(generateSigningKey)))
      const added = made.map(({ kid }) => kid)
      const retired = await session.change(async ({ writer, record }) => {
        const retired = await rotateKeys(writer, { schoolId: school.id, keyring, made, publishSeconds })
        await record({ school_id: school.id, event: 'operator.keys_rotated', details: { added, retired, publish_seconds: publishSeconds } })
        return retired
      })
      terminal.out(made.map(({ kid, alg }) => `added ${kid} (${alg})\n`).join(''))
      const when = publishSeconds === 0 || retired.length === 0 ? 'now' : `in ${publishSeconds / 60} minutes`
      terminal.out(
        `${retired.length > 0 ? `${retired.join(', ')} retire and the new keys start signing` : 'the new keys start signing'} ${when}\n`,
      )
    })
}

function addRetire(group: Command, session: Session): void {
  const { terminal } = session
  const retire = define(group, {
    form: 'retire <kid>',
    about: 'Retire a signing key now. It stays published, so that earlier tokens can still be verified.',
    examples: ['keys retire UX3eL_mE2CcM', 'keys retire --yes -- -XmE2CcMUX3eL'],
  })
  withYesOption(withSchoolOption(retire)).action(async (kid: string, { school: slug, yes }: SchoolOption & YesOption) => {
    requireAnswer(terminal, { yes })
    const school = await session.school(slug)
    await confirm(terminal, `Retire key ${kid} of ${school.slug}?`, { yes })
    await session.change(async ({ writer, record }) => {
      const outcome = await retireKey(writer, { schoolId: school.id, kid })
      if (outcome !== 'retired') throw failure(problems[outcome](kid))
      await record({ school_id: school.id, event: 'operator.key_retired', details: { kid } })
    })
    terminal.out(`${kid} is retired\n`)
  })
}

const problems: Record<Exclude<Retirement, 'retired'>, (kid: string) => string> = {
  unknown: (kid) => `key ${kid} does not exist: see keys list`,
  'retired before': (kid) => `${kid} is already retired`,
  'last of its algorithm': (kid) => `${kid} is the last key of its algorithm: use keys rotate, or keys rotate --now, which also retires it`,
}
