import { Command } from 'commander'
import packageJson from '../../../package.json' with { type: 'json' }
import { readEnvironment } from '../../config/environment.ts'
import { readEndpoint } from '../serve/operatorFile.ts'
import { forwardCommand, isRunning } from './channel/forwardCommand.ts'
import { analytics } from './commands/analytics.ts'
import { audit } from './commands/audit.ts'
import { backup } from './commands/backup.ts'
import { caches } from './commands/caches.ts'
import { call, type OperationCommands } from './commands/call.ts'
import { clients } from './commands/clients.ts'
import { completion } from './commands/completion.ts'
import { config } from './commands/config.ts'
import { database } from './commands/database.ts'
import { demo } from './commands/demo.ts'
import { doctor } from './commands/doctor.ts'
import { grants } from './commands/grants.ts'
import { integrations } from './commands/integrations.ts'
import { jobs } from './commands/jobs.ts'
import { keys } from './commands/keys.ts'
import { log } from './commands/log.ts'
import { mcp } from './commands/mcp.ts'
import { migrate } from './commands/migrate.ts'
import { outbox } from './commands/outbox.ts'
import { people } from './commands/people.ts'
import { schools } from './commands/schools.ts'
import { secrets } from './commands/secrets.ts'
import { selfCheck } from './commands/selfCheck.ts'
import { storage } from './commands/storage.ts'
import { subscriptions } from './commands/subscriptions.ts'
import { webhooks } from './commands/webhooks.ts'
import { ended, endingOf, exitCodes } from './failures.ts'
import { openSession, type Session, type SessionArguments } from './session.ts'
import { harmless } from './terminal.ts'

/** Creates the program. Without `operations`, `call` has no commands. */
export function createProgram(session: Session, operations: OperationCommands = new Map()): Command {
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
    config,
    migrate,
    database,
    backup,
    storage,
    selfCheck,
    doctor,
    caches,
    schools,
    people,
    clients,
    integrations,
    mcp,
    grants,
    call(operations),
    subscriptions,
    keys,
    secrets,
    audit,
    jobs,
    log,
    outbox,
    webhooks,
    analytics,
    demo,
    completion,
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
  const program = createProgram(session, await operationsFor(args))
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

/** Loads the operations if the command needs them. */
async function operationsFor(args: readonly string[]): Promise<OperationCommands | undefined> {
  if (!args.includes('call') && args[0] !== 'completion') return undefined
  const { operationCommands } = await import('./call/operationCommands.ts')
  return operationCommands()
}

/** Commands that work without the database, or need it for themselves. */
const inOwnProcess: readonly RegExp[] = [
  /^config /,
  /^completion$/,
  /^self-check$/,
  /^database /,
  /^backup (verify|restore)$/,
  /^schools import$/,
]

/**
 * Runs a valid command in the service that has opened the embedded database, if one runs.
 * @throws CommanderError with its exit code
 */
async function leaveToService(
  action: Command,
  args: readonly string[],
  { variables, userName, terminal, signal }: SessionArguments,
): Promise<void> {
  const path = action.parent?.parent ? `${action.parent.name()} ${action.name()}` : action.name()
  if (inOwnProcess.some((one) => one.test(path))) return
  const environment = readEnvironment(variables)
  const endpoint = environment.DATABASE_URL ? undefined : readEndpoint(environment.DATA_DIR)
  if (!endpoint || !(await isRunning(endpoint))) return
  const { output: directory } = action.opts<{ output?: string }>()
  throw ended(await forwardCommand(endpoint, { args: [...args], operator: userName, terminal, directory, signal }))
}
