import { Problem } from '@mainstay/contract/core/problems'

/* Errors after which a task tries again. */

/** Whether the cloud does not respond. */
export const isAway = (error: unknown): boolean => error instanceof Problem && error.status >= 500

/** Whether the cloud refuses a command because of the current status. */
export const isNotNow = (error: unknown): boolean => error instanceof Problem && error.code === 'invalid_state'
