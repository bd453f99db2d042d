import type { AcrossTypes, Operation } from '../declare/operations.ts'
import { changeFeedOf } from './changeFeed.ts'
import { searchOf } from './search.ts'

export const operationsAcrossTypes = (operations: readonly Operation[]): AcrossTypes[] => [changeFeedOf(operations), searchOf(operations)]
