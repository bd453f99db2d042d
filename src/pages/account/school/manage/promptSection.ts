import type { ListedRow } from '../../../../base/text/pageOfRows.ts'
import { apiPath } from '../../../../engine/declare/operations.ts'
import type { ManagedResource } from '../../../../engine/output/managedResources.ts'
import { plainText } from '../../../plainText.ts'
import type { Texts } from '../../../texts.ts'
import type { AccountSection } from '../../accountPage.ts'
import { objectTypeOf } from '../../changeSentence.ts'
import type { OwnRequest } from '../../ownPage.ts'
import { nameOf } from '../../requestRows.ts'

/** Returns the section with a text for an agent: the addresses of the school and of the object, and its id. */
export function promptSection(
  texts: Texts,
  { school }: OwnRequest,
  { resource, row }: { resource: ManagedResource; row: ListedRow },
): AccountSection {
  const type = texts.text(`activity.type_${objectTypeOf(resource.object)}`)
  const name = plainText(nameOf(texts, row), 160)
  const object = name === '' ? type : texts.text('activity.labelled', { type, label: name })
  const address = `${school.issuer}${apiPath}/${resource.path}${resource.isSingleton ? '' : `/${String(row.id)}`}`
  return {
    id: 'agent',
    heading: texts.text('manage.agent'),
    paragraphs: [texts.parts('manage.agent_explanation', {})],
    copy: {
      label: texts.text('manage.prompt_label'),
      value: texts.text('manage.prompt', { object, address, id: String(row.id), guide: `${school.issuer}/auth.md` }),
      submit: texts.text('calendar.copy'),
      done: texts.text('calendar.copied'),
    },
    links: [{ href: '/docs/apps', label: texts.text('manage.agent_connect') }],
  }
}
