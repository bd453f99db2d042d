import { lineAt, type Module, readModules } from './modules.ts'

/** The modules whose handles belong to one school. */
const ofSchools = /^src\/(?:school|engine|pages)\//

/** Their files that work for every school: the jobs of a feature and the daily figures, and the interface of what the composition passes in. */
const everySchool = /\/(?:jobs|rollups)\/|^src\/engine\/externalServices\.ts$/

/** Handles that see every school, and what makes one of a handle of one school. */
const handles = { Reader: 'SchoolReader', Writer: 'SchoolWriter', Database: 'SchoolDatabase' } as const
const imported = /import (?:type )?\{([^}]*)\} from '[./]*\/database\/(?:connection\/database|school\/inSchool)\.ts'/g
const otherHandle = /\.withoutPlugins\(|\bwithoutSchool\b/

/** Finds handles without a school in the modules that may only have handles of one school. */
export function handlesWithoutSchool(): { place: string; problem: string }[] {
  return readModules()
    .filter(({ path }) => ofSchools.test(path) && !everySchool.test(path))
    .flatMap(problemsIn)
}

function problemsIn({ path: file, text }: Module): { place: string; problem: string }[] {
  const found = [...text.matchAll(imported)].flatMap(({ 1: names = '', index }) =>
    Object.entries(handles)
      .filter(([name]) =>
        names.split(',').some(
          (one) =>
            one
              .trim()
              .replace(/^type /, '')
              .split(' ')[0] === name,
        ),
      )
      .map(([name, own]) => ({
        place: `${file}:${lineAt(text, index)}`,
        problem: `${name} sees the rows of every school: take ${own}, or move work for all schools to the folder jobs of the feature`,
      })),
  )
  const escaped = otherHandle.exec(text)
  return escaped
    ? [
        ...found,
        {
          place: `${file}:${lineAt(text, escaped.index)}`,
          problem: 'a handle of one school must keep its school: move the query to src/database',
        },
      ]
    : found
}
