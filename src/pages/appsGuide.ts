import { stringify } from 'yaml'
import { accountPaths } from '../base/accountPaths.ts'
import { type AppAccess, type AppRequest, type AppRules, appAccess } from '../identity/apps/appAccess.ts'
import { type AppNote, type AppSetup, type KnownApp, knownApps } from '../identity/apps/apps.ts'
import type { AppGuide, AppsGuide, GuideBlock } from '../identity/apps/appsGuide.ts'
import { documentLink } from './documentLink.ts'
import type { TextKey, Texts } from './texts.ts'

export interface AppsGuideArguments {
  issuer: string
  slug: string
  schoolName: string
  docsUrl: string
  rules: AppRules
}

const notes: Record<AppNote, TextKey> = {
  signs_in_on_request: 'apps_guide.signs_in_on_request',
  signs_in_when_added: 'apps_guide.signs_in_when_added',
  insists_on_sign_in: 'apps_guide.insists_on_sign_in',
  choose_no_authentication: 'apps_guide.choose_no_authentication',
  api_walkthrough: 'apps_guide.api_walkthrough',
}

export function appsGuide(texts: Texts, args: AppsGuideArguments): AppsGuide {
  const { issuer, schoolName } = args
  const link = (path: string, key: TextKey) => documentLink(texts, issuer + path, key)
  return {
    heading: texts.text('apps_guide.heading', { school: schoolName }),
    introduction: [texts.text('apps_guide.introduction', { school: schoolName }), texts.text('apps_guide.sign_in_introduction')],
    address: { label: texts.text('apps_guide.address'), value: `${issuer}/mcp` },
    // Those that work at this school come first, then those that an owner can allow.
    apps: knownApps
      .map((app) => ({ app, access: appAccess(app, args.rules) }))
      .toSorted((one, other) => rankOf(one.access) - rankOf(other.access))
      .map(({ app, access }) => guideOf(texts, app, access, args)),
    moreHeading: texts.text('apps_guide.more'),
    more: [link('/auth.md', 'apps_guide.more_auth'), link('/docs', 'apps_guide.more_docs'), link('/llms.txt', 'apps_guide.more_index')],
  }
}

const rankOf = ({ way }: AppAccess): number => ['owner', 'none'].indexOf(way)

function guideOf(texts: Texts, app: KnownApp, access: AppAccess, args: AppsGuideArguments): AppGuide {
  const { issuer } = args
  return {
    id: app.id,
    name: app.id === 'other' ? texts.text('apps_guide.other') : app.name,
    setup: app.setup.map((setup) => setupBlock(texts, setup, issuer)),
    facts: [
      {
        label: texts.text('apps_guide.catalogue_label'),
        text: `${texts.text('apps_guide.catalogue')} ${texts.text(notes[app.note], { issuer })}`,
      },
      { label: texts.text('apps_guide.sign_in_label'), text: wayText(texts, access, args) },
    ],
    allow:
      access.way === 'owner'
        ? { href: accountPaths.schoolAllowedApps, label: texts.text('apps_guide.allow', { app: app.name }) }
        : undefined,
    operator: access.way === 'none' ? operatorPart(texts, app, access.request, args) : undefined,
  }
}

function setupBlock(texts: Texts, setup: AppSetup, issuer: string): GuideBlock {
  const filled = (text: string): string => text.replaceAll('{mcp}', `${issuer}/mcp`)
  if (setup.kind === 'command') return { label: texts.text('apps_guide.command'), code: filled(setup.text) }
  if (setup.kind === 'file') return { label: texts.text('apps_guide.file', { file: setup.file }), code: filled(setup.text) }
  const values = setup.values.map(({ label, value }) => `${label}: ${filled(value)}`).join('\n')
  const label = setup.path.length === 0 ? texts.text('apps_guide.enter') : texts.text('apps_guide.steps', { path: setup.path.join(' → ') })
  return { label, code: values }
}

function wayText(texts: Texts, access: AppAccess, { issuer, docsUrl }: AppsGuideArguments): string {
  if (access.way === 'registration') return texts.text('apps_guide.way_registration')
  if (access.way === 'document') return texts.text('apps_guide.way_document', { host: access.host })
  if (access.way === 'integration') return texts.text('apps_guide.way_integration', { client: access.clientId })
  if (access.way === 'owner') return texts.text('apps_guide.way_owner', { address: issuer + accountPaths.schoolAllowedApps })
  return texts.text('apps_guide.way_none', { address: docsUrl })
}

function operatorPart(texts: Texts, { name }: KnownApp, request: AppRequest, { slug, rules }: AppsGuideArguments): AppGuide['operator'] {
  const option = (file: string, content: object): GuideBlock => ({ label: file, code: stringify(content).trimEnd() })
  const hosts = rules.registration?.loopbackHosts ?? []
  const trusted = rules.documents?.trustedHosts ?? []
  return {
    heading: texts.text('apps_guide.operator_heading'),
    text: texts.text('apps_guide.operator', { app: name }),
    options: [
      ...(request.loopbackHosts.length > 0
        ? [option('oauth.yaml', { registration: { loopback_hosts: [...hosts, ...request.loopbackHosts] } })]
        : []),
      ...(request.trustedHost !== undefined && trusted !== 'any'
        ? [option('oauth.yaml', { client_metadata_documents: { trusted_hosts: [...trusted, request.trustedHost] } })]
        : []),
      option(`schools/${slug}.yaml`, { integrations: [request.integration] }),
    ],
  }
}
