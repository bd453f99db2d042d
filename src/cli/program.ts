import { Command } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { readEnvironment } from '../config/environment.ts'
import { readEndpoint } from '../wiring/operatorFile.ts'
import { forwardCommand, isRunning } from './channel/forwardCommand.ts'
import { addAnalytics } from './commands/analytics.ts'
import { addAudit } from './commands/audit.ts'
import { addClients } from './commands/clients.ts'
import { addComments, addForms } from './commands/communityReports.ts'
import { addConfig } from './commands/config.ts'
import { addDemo } from './commands/demo.ts'
import { addDoctor } from './commands/doctor.ts'
import { addGrants } from './commands/grants.ts'
import { addIntegrations } from './commands/integrations.ts'
import { addJobs } from './commands/jobs.ts'
import { addKeys } from './commands/keys.ts'
import { addMigrate } from './commands/migrate.ts'
import { addOrders } from './commands/orders.ts'
import { addOutbox } from './commands/outbox.ts'
import { addPeople } from './commands/people.ts'
import { addSchools } from './commands/schools.ts'
import { addSeats } from './commands/seatReports.ts'
import { addSelfCheck } from './commands/selfCheck.ts'
import { addStorage } from './commands/storage.ts'
import { addSubscriptions } from './commands/subscriptions.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { ended, endingOf, exitCodes } from './failures.ts'
import { openSession, type Session, type SessionArguments } from './session.ts'
import { harmless } from './terminal.ts'

/** Creates the program with all its commands, which share one session. */
export function createProgram(session: Session): Command {
  const { terminal } = session
  const program = new Command('schoolgate')
    .version(packageJson.version, '-V, --version', 'print the version')
    .description('Operates a Schoolgate service: its configuration, keys, clients, people and grants.')
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError('Add --help to see how the command is used.')
    .addHelpText(
      'after',
      `
Settings come from the environment and from the configuration directory, as for the service itself.
With the embedded database, a running service executes the command, because only one process can open the database at a time.
Exit codes: 0 success, 1 failure, 2 invalid arguments.

Examples:
  $ schoolgate config check
  $ schoolgate people create ada@example.com --name "Ada Byron" --role owner
  $ schoolgate clients list --json`,
    )
  for (const add of [
    addConfig,
    addMigrate,
    addStorage,
    addSelfCheck,
    addDoctor,
    addSchools,
    addPeople,
    addClients,
    addIntegrations,
    addGrants,
    addOrders,
    addSubscriptions,
    addComments,
    addForms,
    addSeats,
    addKeys,
    addAudit,
    addJobs,
    addOutbox,
    addWebhooks,
    addAnalytics,
    addDemo,
  ]) {
    add(program, session)
  }
  return program
}

/** Runs one command and returns the exit code. Never throws, and closes everything that the command opened. */
export async function runCli(args: readonly string[], given: SessionArguments): Promise<number> {
  const { terminal: bare } = given
  const terminal = {
    isInteractive: bare.isInteractive,
    out: (text: string) => bare.out(harmless(text)),
    err: (text: string) => bare.err(harmless(text)),
    ask: (question: string) => bare.ask(harmless(question)),
    askSecretly: (question: string) => bare.askSecretly(harmless(question)),
    readInput: () => bare.readInput(),
    save: bare.save,
  }
  const session = openSession({ ...given, terminal })
  const program = createProgram(session)
  if (!given.database) program.hook('preAction', (_program, action) => leaveToService(action, args, { ...given, terminal }))
  const report = (error: unknown): number => {
    const { exitCode, sentence } = endingOf(error)
    if (sentence) terminal.err(`schoolgate: ${sentence}\n`)
    return exitCode
  }
  let exitCode: number = exitCodes.ok
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    exitCode = report(error)
  }
  try {
    await session.close()
  } catch (error) {
    exitCode = exitCode === exitCodes.ok ? report(error) : exitCode
  }
  return exitCode
}

/** Commands that need no database. */
const withoutDatabase: readonly string[] = ['config', 'self-check']

/**
 * Runs a valid command in the service that has opened the embedded database, if one runs.
 * @throws CommanderError with its exit code
 */
async function leaveToService(
  action: Command,
  args: readonly string[],
  { variables, userName, terminal, signal }: SessionArguments,
): Promise<void> {
  let group = action
  while (group.parent?.parent) group = group.parent
  if (withoutDatabase.includes(group.name())) return
  const environment = readEnvironment(variables)
  const endpoint = environment.DATABASE_URL ? undefined : readEndpoint(environment.DATA_DIR)
  if (!endpoint || !(await isRunning(endpoint))) return
  const { output: directory } = action.opts<{ output?: string }>()
  throw ended(await forwardCommand(endpoint, { args: [...args], operator: userName, terminal, directory, signal }))
}
