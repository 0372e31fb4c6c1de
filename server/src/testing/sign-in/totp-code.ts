import { codeAt, stepAt } from '../../session/second-factor/totp'

/** The current code of an authenticator app for a secret. */
export const codeNow = (secret: string): string => codeAt(secret, stepAt(new Date()))
