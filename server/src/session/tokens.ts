import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits as text that needs no escaping anywhere. */
export const makeToken = (): string => randomBytes(32).toString('base64url')

/** What the database keeps of a token: whoever reads the table cannot use it. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Whether a text can be a token at all; what cannot be one is not looked up. */
export const looksLikeToken = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)
