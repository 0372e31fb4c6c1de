import { randomBytes } from 'node:crypto'

/** Returns a user's ARN, as used in policies. */
export const arnOf = (userId: string): string => `arn:aws:iam:::user/${userId}`

/** Prefix of the access keys that this server creates. */
const PREFIX = 'MS'
export const newAccessKey = (): string => `${PREFIX}${randomBytes(9).toString('hex').toUpperCase()}`
export const isOwnAccessKey = (text: string): boolean => /^MS[0-9A-F]{18}$/.test(text)
