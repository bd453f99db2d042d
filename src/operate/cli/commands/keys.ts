import { listSigningKeys } from '../../../database/tables/administration.ts'
import { generateSigningKey, signingAlgorithms } from '../../../identity/oidc/signingKeys.ts'
import { command, flag, group, jsonOption, removalOptions, schoolOption } from '../command.ts'
import { failure } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { keyState, type Retirement, retireKey, rotateKeys } from '../rotateKeys.ts'
import { moment } from '../table.ts'

const list = command({
  name: 'list',
  summary: 'List published keys: upcoming, signing and retired.',
  examples: ['keys list', 'keys list --school demo --json'],
  options: { ...schoolOption, ...jsonOption },
  async run(session) {
    const school = await session.school()
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
    const empty = 'no keys yet: the service creates them at the first request to the school'
    session.printList(rows, { columns: ['kid', 'alg', 'state', 'active_at', 'retired_at'], empty })
  },
})

const rotate = command({
  name: 'rotate',
  summary: 'Generate and publish a key for each algorithm. It starts signing after signing_keys.publish_before_use_minutes.',
  examples: ['keys rotate', 'keys rotate --school demo', 'keys rotate --now --yes'],
  options: {
    ...schoolOption,
    ...removalOptions,
    now: flag('start signing immediately: verifiers with a cached key set fail until they refresh it'),
  },
  async run(session, { now }) {
    const { terminal } = session
    const school = await session.schoolToFill()
    if (now) await session.confirm(`Start signing with new keys of ${school.slug} immediately?`)
    const keyring = session.keyring()
    const publishSeconds = now ? 0 : session.settings().config.oauth.signing_keys.publish_before_use_minutes * 60
    const keys = await withProgress(terminal, 'generating keys', () => Promise.all(signingAlgorithms.map(generateSigningKey)))
    const added = keys.map(({ kid }) => kid)
    const retired = await school.change(async ({ writer, record }) => {
      const retired = await rotateKeys(writer, { schoolId: school.id, keyring, made: keys, publishSeconds })
      await record({ event: 'operator.keys_rotated', details: { added, retired, publish_seconds: publishSeconds } })
      return retired
    })
    terminal.out(keys.map(({ kid, alg }) => `added ${kid} (${alg})\n`).join(''))
    const when = publishSeconds === 0 || retired.length === 0 ? 'now' : `in ${publishSeconds / 60} minutes`
    terminal.out(
      `${retired.length > 0 ? `${retired.join(', ')} retire and the new keys start signing` : 'the new keys start signing'} ${when}\n`,
    )
  },
})

const retire = command({
  name: 'retire <kid>',
  summary: 'Retire a signing key now. It stays published, so that earlier tokens can still be verified.',
  examples: ['keys retire UX3eL_mE2CcM', 'keys retire --yes -- -XmE2CcMUX3eL'],
  options: { ...schoolOption, ...removalOptions },
  async run(session, _options, kid) {
    const school = await session.school()
    const keepHours = session.settings().config.oauth.signing_keys.keep_after_retirement_hours
    const published = await listSigningKeys(await session.prisma(), { schoolId: school.id, keepHours })
    if (!published.some((key) => key.kid === kid)) throw failure(problems.unknown(kid))
    await session.confirm(`Retire key ${kid} of ${school.slug}?`)
    await school.change(async ({ writer, record }) => {
      const outcome = await retireKey(writer, { schoolId: school.id, kid })
      if (outcome !== 'retired') throw failure(problems[outcome](kid))
      await record({ event: 'operator.key_retired', details: { kid } })
    })
    session.terminal.out(`${kid} is retired\n`)
  },
})

export const keys = group(
  {
    name: 'keys',
    summary: 'Manages the keys that sign ID tokens. Running processes apply changes within five seconds.',
    examples: ['keys list', 'keys rotate'],
  },
  [list, rotate, retire],
)

const problems: Record<Exclude<Retirement, 'retired'>, (kid: string) => string> = {
  unknown: (kid) => `key ${kid} does not exist: see keys list`,
  'retired before': (kid) => `${kid} is already retired`,
  'last of its algorithm': (kid) => `${kid} is the last key of its algorithm: use keys rotate, or keys rotate --now, which also retires it`,
}
