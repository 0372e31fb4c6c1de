import type { Problem } from '@mainstay/contract/core/problems'
import type { Authenticated } from '@mainstay/engines/ports/identity'

/**
 * Somewhere that knows people by name and password, and is asked after the users of this product: whoever signs in by a local
 * password never waits for it. `fault`: it could not look; `isGuess`: whether the attempt counts as a failure all the same.
 */
export type PasswordSource = (
  username: string,
  password: string,
  domainName: string,
) => Promise<{ found: Authenticated | null; fault?: Problem; isGuess?: boolean }>
