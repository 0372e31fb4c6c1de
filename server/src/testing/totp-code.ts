import { codeAt, stepAt } from '../session/second-factor/totp'

/** What an authenticator app shows now for a secret. */
export const codeNow = (secret: string): string => codeAt(secret, stepAt(new Date()))
