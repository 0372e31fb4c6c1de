/**
 * Session hooks for the API client. The session registers them at startup, so that the client does not have to import
 * the session.
 */
export interface AccessKeeper {
  scopedToken: () => string | null
  /** Called on a 401 response. Resolves with `again` if the call should be retried with the current token. */
  onUnauthorized: (usedToken: string | null, isChange?: boolean) => Promise<'again' | 'give-up'>
  /** Called when the user, the domain or the project has been disabled. */
  onAccessDisabled: (subject: unknown) => void
  /** Called when a response reports that the platform is being reconfigured. */
  onReconfiguration: () => void
}

let keeper: AccessKeeper = {
  scopedToken: () => null,
  onUnauthorized: () => Promise.resolve('give-up'),
  onAccessDisabled: () => {},
  onReconfiguration: () => {},
}

export const setAccessKeeper = (next: AccessKeeper) => {
  keeper = next
}

export const access = () => keeper

/** Checks for the header that announces a platform reconfiguration (S1§8). Any response may carry it. */
export function checkReconfiguration(header: (name: string) => string | null) {
  if (typeof header('x-reconfiguration-state') === 'string') keeper.onReconfiguration()
}
