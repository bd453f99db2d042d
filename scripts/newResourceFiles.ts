/** The files of a new resource, as scripts/newResource.ts writes them. */
export interface NewResourceFiles {
  /** The name of the table, and `object` in JSON: `gift_card`. */
  object: string
  /** The name of the constant and the file: `giftCards`. */
  variable: string
  /** The title: `Gift cards`. */
  title: string
  declaration: string
  model: string
  /** Triggers that report changes of the table, because visitors read it (decision 27), and that capture them (decision 43). They end the migration. */
  triggers: string
  germanSentences: Record<string, string | { staff: string }>
  demoRows: string
  test: string
}

/** Returns the files of a resource with a title, a slug and a status, whose published rows are public. */
export function newResourceFiles(name: string, idPrefix: string): NewResourceFiles {
  const object = name.replace(/ies$/, 'y').replace(/s$/, '')
  const variable = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const many = name.replaceAll('_', ' ')
  const one = object.replaceAll('_', ' ')
  const title = `${many.charAt(0).toUpperCase()}${many.slice(1)}`
  return {
    object,
    variable,
    title,
    germanSentences: { [`${name}:read`]: `${title} ansehen`, [`${name}:write`]: { staff: `${title} anlegen, ändern und löschen` } },
    model: `/// Describe the purpose of the table here.
model ${object} {
  school_id  String   @db.Uuid
  id         String   @db.Uuid
  version    Int      @default(1)
  created_at DateTime @default(now()) @db.Timestamptz(3)
  updated_at DateTime @default(now()) @db.Timestamptz(3)
  slug       String
  title      String
  /// Its place in the order of the language of the school. A trigger keeps it.
  title_order String @default("")
  /// draft or published.
  status     String   @default("draft")

  school school @relation(fields: [school_id], references: [id], onDelete: Restrict, onUpdate: Restrict)

  @@id([school_id, id])
  @@unique([school_id, slug])
  @@index([school_id, title_order, id])
  @@index([school_id, updated_at, id])
}
`,
    triggers: (
      [
        ['added', 'INSERT', 'NEW'],
        ['changed', 'UPDATE', 'NEW'],
        ['removed', 'DELETE', 'OLD'],
      ] as const
    )
      .map(
        ([name, event, rows]) =>
          `CREATE TRIGGER ${object}_content_${name} AFTER ${event} ON ${object} REFERENCING ${rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();\n`,
      )
      .concat(
        `CREATE TRIGGER ${object}_captured AFTER INSERT OR UPDATE OR DELETE ON ${object} FOR EACH ROW\n    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');\n`,
        `CREATE TRIGGER ${object}_title_order BEFORE INSERT OR UPDATE OF title ON ${object} FOR EACH ROW EXECUTE FUNCTION keep_name_order('title');\n`,
        `ALTER TABLE ${object} ALTER COLUMN title_order TYPE text COLLATE "C", ENABLE ALWAYS TRIGGER ${object}_title_order;\n`,
      )
      .join(''),
    declaration: `import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, type Rows } from '../../engine/declare/expressions.ts'
import { line, slug } from '../../engine/declare/fields.ts'

const isPublished = (${variable}: Rows<'${object}'>) => ${variable}('status', '=', 'published')

/** Declares the ${many} of the school: published ones are public, staff write. */
export const ${variable} = defineResource({
  name: '${name}',
  object: '${object}',
  idPrefix: '${idPrefix}',
  table: '${object}',
  about: 'A ${one} of the school.',
  undo: true,
  scopes: {
    read: 'See the ${many} of the school',
    write: { staff: 'Add, change and delete ${many}' },
  },
  catalogue: false,
  schema: z.object({
    title: line(120).meta({ description: 'Title.', example: 'First ${one}' }),
    slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'first-${object.replaceAll('_', '-')}' }),
    status: z
      .enum(['draft', 'published'])
      .default('draft')
      .meta({ description: 'Drafts are visible to staff only.', example: 'draft', view: 'staff' }),
  }),
  writable: ['title', 'slug', 'status'],
  required: ['title'],
  slugFrom: 'title',
  filters: ['status', 'created_at', 'updated_at'],
  search: ['title', 'slug'],
  sorts: ['-created_at', 'updated_at', 'title'],
  visibility: { anonymous: isPublished, learner: isPublished, lecturer: isPublished, staff: everything },
  operations: { list: 'read', get: 'read', create: 'write', update: 'write', remove: 'write' },
})
`,
    demoRows: `# Rows of the table ${object} in the demo school.
- slug: first-${object.replaceAll('_', '-')}
  title: First ${one}
  status: published
- slug: draft-${object.replaceAll('_', '-')}
  title: Draft of a ${one}
  status: draft
`,
    test: `import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'

describe.each(await databasesToTest())('${many} on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
  })
  afterAll(() => api.stop())

  test('published ${many} are public, drafts are visible to staff only', async () => {
    const slugs = async (as?: string) => {
      const { json } = await api.get('/api/v1/${name}?sort=title', { as })
      return (json.data as { slug: string }[]).map(({ slug }) => slug)
    }
    expect(await slugs()).toEqual(['first-${object.replaceAll('_', '-')}'])
    expect(await slugs('owner@example.com')).toEqual(['draft-${object.replaceAll('_', '-')}', 'first-${object.replaceAll('_', '-')}'])
  })
})
`,
  }
}
