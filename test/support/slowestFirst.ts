import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest test files, slowest first. Used only on machines on which Vitest has not measured the files yet. */
export const slowest: readonly string[] = [
  'browser/look',
  'browser/flow',
  'browser/hostile',
  'ground/newResource',
  'wiring/traces',
  'oidc/operations',
  'oidc/crash',
  'security/secrets',
  'cli/program',
  'api/everyWrite',
  'store/migrate',
  'clients/npmStart',
  'oidc/races',
  'gateway/nginx',
  'security/outage',
  'security/storeFailures',
  'wiring/start',
  'security/leaks',
  'account/calendarWorkflow',
  'api/everyOperation',
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
