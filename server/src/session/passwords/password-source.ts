import type { Problem } from '@mainstay/contract/core/problems'
import type { Authenticated } from '@mainstay/engines/ports/identity'

/**
 * Verifies passwords in an external directory, only after local passwords did not match, so that local users never wait
 * for it. `fault` means that it could not check; `isGuess` tells whether the attempt counts as a failure anyway.
 */
export type PasswordSource = (
  username: string,
  password: string,
  domainName: string,
) => Promise<{ found: Authenticated | null; fault?: Problem; isGuess?: boolean }>
