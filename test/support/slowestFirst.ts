import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The long tests: files that take more than eight seconds on two quiet cores, slowest first. The order is used only on machines on which
 * Vitest has not measured the files yet.
 */
export const slowest: readonly string[] = [
  'browser/look',
  'ground/newResource',
  'gateway/rollingUpgrade',
  'api/everyWrite',
  'cli/everyCommand',
  'cli/program',
  'browser/passkeys',
  'browser/flow',
  'security/outage',
  'store/migrate',
  'wiring/traces',
  'agents/walkthrough',
  'security/storeFailures',
  'wiring/loadedModules',
  'oidc/operations',
  'clients/npmStart',
  'oidc/crash',
  'browser/hostile',
  'browser/passkeySetup',
  'browser/reference',
  'cli/people',
  'wiring/schoolMemory',
  'browser/account',
  'platform/eventWaitlist',
  'security/othersData',
  'security/inputGrowth',
  'store/embedded',
  'mcp/programs',
  'security/secrets',
  'gateway/rollingRestart',
  'security/slowRedis',
  'platform/concurrentPurchases',
  'cli/keys',
  'cli/migrate',
  'api/everyOperation',
  'cli/doctor',
  'agents/selfCheck',
  'cli/channel',
  'cli/clients',
  'wiring/terminal',
  'demo/answers',
  'cli/operatePage',
  'engines/pgBouncer',
  'agents/skills',
  'clients/mcpSdk',
  'gateway/doctor',
  'wiring/start',
  'platform/excludedWaiting',
  'oidc/races',
  'security/leaks',
  'wiring/killedProcess',
  'security/killedWriter',
  'account/passwordRule',
  'ground/renamedColumns',
  'cli/demoScale',
  'api/bodyMembers',
  'security/regularExpressions',
  'security/inputCost',
  'platform/eventEmails',
  'agents/apiDocuments',
  'pages/siteQueries',
  'cli/schoolsOnServers',
  'oidc/roundTrips',
  'api/lists',
  'clients/apps',
  'gateway/nginx',
  'engines/sharding/leadsWithSchool',
  'store/redis',
  'platform/erasedPlaces',
  'clients/oauth4webapi',
  'store/postgresql',
  'mail/flooding',
  'account/calendarWorkflow',
  'browser/keyboard',
  'store/database',
  'clients/openidClient',
  'pages/siteTax',
  'cli/endingAccess',
  'api/visibility',
  'security/signInLimits',
  'engines/streamingReplica',
  'security/endedGrants',
  'account/apps',
  'api/curriculum',
  'api/rsvps',
  'framework/statementCache',
  'demo/makeDemoSchool',
  'wiring/webhookProcesses',
  'api/changesOfWrites',
  'deploy/backup',
  'pages/siteWorkflow',
  'account/eventRegistration',
  'pages/flow',
  'store/changeFeedMoves',
]

/** A worker is replaced when the project changes, so the files of a project stay together. */
const projects = ['long', 'browser', 'service', 'unit']

/** Starts the slowest files first, so that the run does not end with one worker busy and the others idle. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const measured = await super.sort(files)
    return measured.toSorted((a, b) => rankOfProject(a) - rankOfProject(b) || rankOfFile(a) - rankOfFile(b))
  }
}

const rankOfProject = ({ project }: TestSpecification): number => projects.indexOf(project.name)

function rankOfFile({ moduleId }: TestSpecification): number {
  const rank = slowest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return rank === -1 ? slowest.length : rank
}
