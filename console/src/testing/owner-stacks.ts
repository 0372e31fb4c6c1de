import * as react from 'react'

/**
 * React captures a stack trace for each element that it creates, up to 10 000 per second. In jsdom that takes a tenth of the
 * time of a page. Without the traces, React's warnings have no component stack.
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
