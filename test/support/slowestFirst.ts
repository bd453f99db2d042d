import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The long tests: files that take more than eight seconds on two quiet cores, slowest first. The order is used only on machines on which
 * Vitest has not measured the files yet.
 */
export const slowest: readonly string[] = [
  'test/browser/look',
  'test/ground/newResource',
  'test/gateway/rollingUpgrade',
  'test/api/everyWrite',
  'test/api/undoCaller',
  'test/cli/everyCommand',
  'test/cli/program',
  'test/browser/passkeys',
  'test/browser/flow',
  'test/browser/stories',
  'test/security/outage',
  'test/store/migrate',
  'test/wiring/traces',
  'test/agents/walkthrough',
  'test/security/storeFailures',
  'test/wiring/loadedModules',
  'test/oidc/operations',
  'test/oidc/tokenLane',
  'test/clients/npmStart',
  'test/oidc/crash',
  'test/browser/hostile',
  'test/browser/passkeySetup',
  'test/browser/reference',
  'test/cli/people',
  'test/wiring/schoolMemory',
  'test/browser/account',
  'test/platform/eventWaitlist',
  'test/security/othersData',
  'test/security/inputGrowth',
  'test/store/embedded',
  'test/store/copyDatabase',
  'test/cli/databaseCopy',
  'test/cli/backup',
  'test/cli/schoolsImport',
  'test/mcp/programs',
  'test/security/secrets',
  'test/gateway/rollingRestart',
  'test/security/slowRedis',
  'test/platform/concurrentPurchases',
  'test/cli/keys',
  'test/cli/migrate',
  'test/api/everyOperation',
  'test/cli/doctor',
  'test/cli/doctorClients',
  'test/agents/selfCheck',
  'test/cli/channel',
  'test/cli/clients',
  'test/wiring/terminal',
  'test/demo/answers',
  'test/cli/operatePage',
  'verification/engines/pgBouncer',
  'test/agents/skills',
  'test/clients/generators',
  'test/clients/debianLibraries',
  'test/clients/nodeLibraries',
  'test/clients/mcpSdk',
  'test/gateway/doctor',
  'test/wiring/start',
  'test/platform/excludedWaiting',
  'test/oidc/races',
  'test/security/leaks',
  'test/wiring/killedProcess',
  'test/security/killedWriter',
  'test/account/passwordRule',
  'test/ground/renamedColumns',
  'test/api/bodyMembers',
  'test/security/regularExpressions',
  'test/security/inputCost',
  'test/platform/eventEmails',
  'test/agents/apiDocuments',
  'test/pages/siteMatchesApi',
  'test/pages/siteQueries',
  'test/cli/schoolsOnServers',
  'test/oidc/roundTrips',
  'test/api/lists',
  'test/clients/apps',
  'test/gateway/nginx',
  'verification/engines/sharding/leadsWithSchool',
  'test/store/redis',
  'test/platform/erasedPlaces',
  'test/clients/oauth4webapi',
  'test/store/postgresql',
  'test/mail/flooding',
  'test/account/calendarWorkflow',
  'test/account/listsOnPages',
  'test/browser/keyboard',
  'test/store/database',
  'test/clients/openidClient',
  'test/pages/siteTax',
  'test/cli/endingAccess',
  'test/api/visibility',
  'test/security/signInLimits',
  'verification/engines/postgresqlFailOver',
  'test/security/endedGrants',
  'test/oidc/appsOverProcesses',
  'test/account/apps',
  'test/api/curriculum',
  'test/api/rsvps',
  'test/framework/statementCache',
  'test/demo/makeDemoSchool',
  'test/wiring/webhookProcesses',
  'test/api/changesOfWrites',
  'test/deploy/backup',
  'test/pages/siteWorkflow',
  'test/account/eventRegistration',
  'test/pages/flow',
  'test/store/changeFeedMoves',
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
