import * as react from 'react'

/**
 * Turns off the stack traces that React captures for up to 10,000 elements per second, because they take a tenth of a
 * page’s render time in jsdom. React’s warnings then have no component stack.
 */
export function withoutOwnerStacks(): void {
  const internals = (react as unknown as Record<string, object>)[
    '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE'
  ]
  if (!internals) return
  Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', {
    ...{ configurable: true, get: () => 10_000, set: () => undefined },
  })
}
