import type { Problem } from '@mainstay/contract/core/problems'
import type { Authenticated } from '@mainstay/engines/ports/identity'

/**
 * Verifies passwords in an external directory, but only if they do not match locally, so that local users never have to
 * wait for it. `fault` is set if the password could not be checked; `isGuess` tells whether the attempt counts as a
 * failure anyway.
 */
export type PasswordSource = (
  username: string,
  password: string,
  domainName: string,
) => Promise<{ found: Authenticated | null; fault?: Problem; isGuess?: boolean }>
