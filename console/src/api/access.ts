/** What API calls need from the session, so that the client does not import it. The session registers it at startup. */
export interface AccessKeeper {
  scopedToken: () => string | null
  /** Called on a 401 response. Resolves with `again` when the call is worth repeating with the current token. */
  onUnauthorized: (usedToken: string | null, isChange?: boolean) => Promise<'again' | 'give-up'>
  /** The user, the domain or the project was disabled. */
  onAccessDisabled: (subject: unknown) => void
  /** The platform is being reconfigured. */
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

/**
 * Any response, of any kind of request, may carry the header that announces a reconfiguration of the platform (S1§8).
 */
export function checkReconfiguration(header: (name: string) => string | null) {
  if (typeof header('x-reconfiguration-state') === 'string') keeper.onReconfiguration()
}
