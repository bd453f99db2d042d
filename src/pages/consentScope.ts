/** A scope as the consent page shows it. */
export interface ConsentScope {
  name: string
  area: string
  areaTitle: string
  verb: 'read' | 'write' | 'identity'
  sentence: string
}
