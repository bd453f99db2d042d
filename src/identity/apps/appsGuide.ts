/** How people connect apps to a school: the content of `/docs/apps`, in one language, before it becomes HTML or Markdown. */
export interface AppsGuide {
  heading: string
  introduction: string[]
  address: { label: string; value: string }
  apps: AppGuide[]
  moreHeading: string
  more: { href: string; label: string; language?: string }[]
}

export interface AppGuide {
  id: string
  name: string
  setup: GuideBlock[]
  facts: { label: string; text: string }[]
  /** Where an owner of the school allows it; undefined if nothing is missing, or the operator has to change something. */
  allow: { href: string; label: string } | undefined
  /** Changes of the configuration of which each lets the app sign people in; undefined if none is needed. */
  operator: { heading: string; text: string; options: GuideBlock[] } | undefined
}

export interface GuideBlock {
  label: string
  code: string
}
