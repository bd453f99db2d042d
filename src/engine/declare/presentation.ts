import type { Caller } from '../../base/caller.ts'
import type { School } from '../../base/school.ts'
import type { ExternalServices } from '../externalServices.ts'
import type { ParameterValues } from './values.ts'

export interface Presentation {
  school: School
  caller: Caller
  externalServices: ExternalServices
  parameters: ParameterValues
}
