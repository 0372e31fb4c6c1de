import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits as text that never requires escaping. */
export const makeToken = (): string => randomBytes(32).toString('base64url')

/** The hash under which a token is stored, so that a copy of the table cannot be used to sign in. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Whether a text has the format of a token. Other texts are not looked up. */
export const looksLikeToken = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)
