import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createAgent, get } from '../../support/agent.ts'
import { createPerson } from '../../support/person.ts'
import { until } from '../../support/poll.ts'
import type { BundledOutcome } from './bundledCli.ts'
import type { Example } from './examples.ts'

/** A service with the demo school, and the program that operates it. */
export interface Workplace {
  issuer: string
  /** The configuration directory. */
  config: string
  /** True if files of schools must be deleted by hand. */
  isPostgresql: boolean
  run(args: string[], input?: string): Promise<BundledOutcome>
}

interface Price {
  id: string
  active: boolean
  amount: { amount: number }
}

/** The members of public rows that decide whether an example can use them. */
interface Row {
  id: string
  price?: { amount: number } | null
  prices?: Price[]
}

const password = 'seven lanterns in the fog'
/** The files that examples read, by the end of the command. */
const inputs: Readonly<Record<string, string>> = {
  'password.txt': `${password}\n`,
}

/** Exports of other sites. */
const exports = join(import.meta.dirname, 'exports')

let count = 0

/** Returns the arguments of an example with ids that exist, made for this example, and its standard input. */
export async function prepareExample({ line, args, hasInput }: Example, work: Workplace): Promise<{ args: string[]; input: string }> {
  count += 1
  const fresh = (name: string): string => `${name}-${count}`
  const done = async (words: string[], input = ''): Promise<string> => {
    const { exitCode, out, err } = await work.run(words, input)
    if (exitCode !== 0) throw new Error(`the preparation failed: ${words.join(' ')}: ${err}`)
    return out.trim()
  }
  /** Returns the first row of a public list that meets a condition. */
  const find = async (name: string, meets: (row: Row) => boolean): Promise<Row> => {
    const row = (await get(`${work.issuer}/api/v1/${name}`)).body.data.find(meets)
    if (!row) throw new Error(`the demo school has no row for the example in ${name}`)
    return row
  }
  const command = args.slice(0, 2).join(' ')
  const wordOf = async (words: string[]): Promise<string> => String((await done(words)).split(/\s/)[0])

  const buyer = `wren-${count}@example.org`
  const price = async (): Promise<string> => {
    const isPaid = ({ active, amount }: Price): boolean => active && amount.amount > 0
    const { prices = [] } = await find('membership_plans', ({ prices }) => prices?.some(isPaid) ?? false)
    return String(prices.find(isPaid)?.id)
  }
  const course = async (): Promise<string> => (await find('courses', ({ price }) => (price?.amount ?? 0) > 1000)).id
  const person = async (name = 'ada'): Promise<{ email: string; id: string }> => {
    const email = `${fresh(name)}@example.com`
    const created = JSON.parse(await done(['people', 'create', email, '--name', 'Ada Byron', '--password-stdin', '--json'], password))
    if (command === 'people enable') await done(['people', 'disable', email, '--yes'])
    return { email, id: String(created.account_id) }
  }
  const client = async (): Promise<string> => {
    const id = fresh('newsletter-sync')
    await done(['integrations', 'add', '--name', 'Newsletter', '--client-id', id, '--redirect-uri', 'https://sync.example.com/callback'])
    if (command === 'clients enable') await done(['clients', 'disable', id, '--yes'])
    return id
  }
  const order = async (): Promise<{ number: string; total: string }> => {
    const items = JSON.stringify([{ type: 'course', id: await course() }])
    const created = await done(['call', 'createOrder', '--buyer-email', buyer, '--items', items, '--yes', '--json'])
    const { number, total } = JSON.parse(created)
    return { number, total: String(total.amount) }
  }
  const grant = async (): Promise<string> => {
    const { email } = await person()
    const agent = await createAgent(work.issuer)
    await agent.tokens(createPerson({ email, password }))
    const [row] = JSON.parse(await done(['grants', 'list', '--person', email, '--json']))
    return String(row.grant_id ?? row.id)
  }
  const subscription = async (): Promise<string> => {
    const id = await wordOf(['subscriptions', 'start', buyer, await price()])
    if (command === 'subscriptions mark-failed') await done(['subscriptions', 'mark-paid', id, '--yes'])
    return id
  }
  const signingKey = async (): Promise<string> => {
    // The second rotation replaces the first key before it signs.
    const added = await done(['keys', 'rotate'])
    await done(['keys', 'rotate'])
    return String(/^added (\S+)/.exec(added)?.[1])
  }
  const delivery = async (): Promise<string> => {
    // The example of backup mark holds deliveries.
    await work.run(['outbox', 'release', '--discard', '--yes'])
    // The receiver refused an earlier delivery for good, which stopped the endpoint.
    await done(['webhooks', 'replay', 'crm'])
    const agent = await createAgent(work.issuer)
    const { body } = await agent.tokens(createPerson({ email: (await person()).email, password }))
    await agent.post('/api/oauth/revoke', { token: body.refresh_token })
    const firstDead = async (): Promise<number | undefined> =>
      (JSON.parse(await done(['outbox', 'list', '--state', 'dead', '--json'])) as { id: number }[])[0]?.id
    return String(await until(firstDead, { what: 'a delivery to be given up' }))
  }
  const school = async (): Promise<string> => {
    const slug = fresh('harbour')
    await done(['schools', 'create', slug, '--issuer', `https://${slug}.example.com`])
    if (work.isPostgresql && command === 'schools remove') await removeOthers(work)
    return slug
  }
  /** Returns a directory with what a command saves, or a new one for an example of this command. */
  const saved = async (words: string[], name: string): Promise<string> => {
    const directory = `./${fresh(name)}`
    if (!args.includes('--output')) await done([...words, '--output', directory])
    return directory
  }
  /** The values of the examples, by what stands for them. */
  const values: [name: RegExp, value: () => Promise<string>][] = [
    [/^ada@example\.com$/, async () => (command === 'people create' ? `${fresh('ada')}@example.com` : (await person()).email)],
    [/^wren@example\.org$/, async () => buyer],
    [/^acc_\w+$/, async () => (await person()).id],
    [/^std_\w+$/, async () => (await person()).email],
    [/^(cli_\w+|newsletter-sync)$/, client],
    [/^kiosk$/, async () => fresh('kiosk')],
    [/^[-h]jM3kQ0vX$/, grant],
    [/^UX3eL_mE2CcM$|^-XmE2CcMUX3eL$/, signingKey],
    [/^4711$/, delivery],
    [/^crs_\w+$/, course],
    [/^prc_\w+$/, price],
    [/^sub_\w+$/, subscription],
    [/^harbour$/, command === 'schools create' ? async () => fresh('harbour') : school],
    [/^https:\/\/harbour\.example\.com$/, async () => `https://${fresh('harbour')}.example.com`],
    [/^https:\/\/school\.example\.com$/, async () => work.issuer],
    [/^\.\/harbour-export$/, () => saved(['schools', 'export', 'demo'], 'harbour-export')],
    [/^(wordpress\.xml|ghost\.json)$/, async () => join(exports, line.includes('wordpress') ? 'wordpress.xml' : 'ghost.json')],
    [/^\.\/content$/, async () => exports],
    [/^\.\/backup$/, () => saved(['backup', 'create'], 'backup')],
    [/^(SEPA 81-2|ch_81)$/, async () => fresh('reference')],
    // Four hundred thousand people would take minutes.
    [/^1000$/, async () => (command === 'demo load' ? '2' : '1000')],
  ]
  const made = new Map<string, string>()
  const value = async (word: string): Promise<string> => {
    const known = made.get(word)
    if (known !== undefined) return known
    const make = values.find(([name]) => name.test(word))?.[1]
    const found = make ? await make() : word
    made.set(word, found)
    return found
  }
  // These name two things that belong together.
  if (/2026-000512/.test(line)) {
    const { number, total } = await order()
    made.set('2026-000512', number).set('3900', total)
  }
  if (command === 'outbox release') await done(['backup', 'mark'])
  const words: string[] = []
  for (const word of args) words.push(await value(word))
  return { args: words, input: hasInput ? (inputs[/< (\S+)$/.exec(line)?.[1] ?? ''] ?? '') : '' }
}

/** Deletes the files of schools that examples created: with several schools, other commands would require `--school`. */
export async function removeOthers({ config }: Workplace): Promise<void> {
  const folder = join(config, 'schools')
  for (const name of await readdir(folder)) if (name !== 'demo.yaml') await rm(join(folder, name))
}
