import { authMd } from './authMd.ts'
import { code, document, link, markdown } from './markdown.ts'
import { schoolAbout } from './schoolAbout.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'
import { skillFiles } from './skillFiles.ts'

/**
 * Renders `/llms-full.txt`: how to get access, every operation, the errors and the skills in one file. What grows with the school is left
 * out, and so are the documents of the resources, which would be most of it.
 */
export async function llmsFullTxt(facts: SchoolFacts, apiText: (path: string) => string): Promise<string> {
  const { issuer } = facts
  const [about, auth, skills] = await Promise.all([schoolAbout(facts), authMd(facts), skillFiles(facts)])
  const parts: [path: string, text: string][] = [
    [paths.authMd, auth],
    ...[paths.apiMd, paths.errorsMd].map((path): [string, string] => [path, apiText(path)]),
    ...skills.map(({ path, text }): [string, string] => [path, text.replace(/^---\n.*?\n---\n/s, '')]),
  ]
  const introduction = document([
    markdown`# ${about.name}: documents for agents in one file`,
    markdown`> Access, every operation, the errors and the skills. The catalogue is in ${link('llms.txt', issuer + paths.llmsTxt)}, and each resource has a document at ${code(`${issuer}/docs/RESOURCE.md`)}.`,
  ])
  return [introduction, ...parts.map(([path, text]) => `---\n\nFrom ${issuer}${path}:\n\n${text.trim()}\n`)].join('\n')
}
