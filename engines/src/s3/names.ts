import { randomBytes } from 'node:crypto'

/** The name of a person in policies. */
export const arnOf = (userId: string): string => `arn:aws:iam:::user/${userId}`

/** Access keys of this installation begin with these letters. */
const PREFIX = 'MS'
export const newAccessKey = (): string => `${PREFIX}${randomBytes(9).toString('hex').toUpperCase()}`
export const isOwnAccessKey = (text: string): boolean => /^MS[0-9A-F]{18}$/.test(text)
