import { Problem } from '@mainstay/contract/core/problems'

/* Recognizes errors after which a task tries again. */

/** Whether the error means that the cloud does not respond. */
export const isAway = (error: unknown): boolean => error instanceof Problem && error.status >= 500

/** Whether the error means that the cloud refuses a command because of the current status. */
export const isNotNow = (error: unknown): boolean => error instanceof Problem && error.code === 'invalid_state'
