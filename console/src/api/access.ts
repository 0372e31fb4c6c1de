/**
 * How calls learn who is asking, without knowing the session. The session sets these at start; the client reads them.
 */
export interface AccessKeeper {
  scopedToken: () => string | null
  /** A call was answered 401. `again` when it is worth repeating with the token that is there now. */
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

/** Every answer, to whatever kind of request, may say that the platform is being reconfigured (S1§8). */
export function checkReconfiguration(header: (name: string) => string | null) {
  if (typeof header('x-reconfiguration-state') === 'string') keeper.onReconfiguration()
}
