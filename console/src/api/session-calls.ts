import { sessionCalls } from '@mainstay/contract/identity/session-calls'
import type { session as withShapes } from '@mainstay/contract/identity/session'

/** The calls of the session with their types and without their schemas, which the first page does not need. */
export const session = sessionCalls as unknown as typeof withShapes
