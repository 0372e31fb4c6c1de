import { ANY_PARENT } from '@mainstay/contract/core/endpoint'
import type { AccountProject, Meta, PanelInfo } from '@mainstay/contract/identity/session'
import type * as z from 'zod'
import { create } from 'zustand'
import { keep, readKept, type KeptProject, type KeptUser } from './kept'

/** S1§4. `switching`: from one project to another, or to domain mode. */
export type SessionStatus = 'signed-out' | 'signing-in' | 'signed-in' | 'switching'

export interface Session {
  status: SessionStatus
  /** Undefined until the server told which panel this address serves. */
  panel: z.infer<typeof PanelInfo> | undefined
  user: KeptUser | null
  scopedToken: string | null
  /** The domain that was signed in to, by name; leads back to its sign-in page. */
  domain: string | null
  project: KeptProject | null
  projects: readonly AccountProject[]
  /** Permissions and services in this scope; null until they came. */
  meta: Meta | null
  /** Who lost access while signed in. */
  accessDisabled: 'user' | 'project' | null
  /** The server no longer knows the session: sign-in is asked for over the page. */
  isExpired: boolean
  /** When it ended, milliseconds since 1970. */
  expiredAt: number | null
  /** Something that changes something waits to be sent once more. */
  isChangeWaiting: boolean
  /** Name of somebody else who has signed in in another tab: this page is over. */
  takenOverBy: string | null
  /** The server said that it is about to stop. */
  isRestarting: boolean
}

const kept = readKept()

export const useSession = create<Session>()(() => ({
  status: kept.user ? 'signed-in' : 'signed-out',
  panel: undefined,
  ...kept,
  projects: [],
  meta: null,
  accessDisabled: null,
  isExpired: false,
  expiredAt: null,
  isChangeWaiting: false,
  takenOverBy: null,
  isRestarting: false,
}))

/** The session now, for code that is no component. */
export const sessionNow = () => useSession.getState()

/** Changes the session and what of it outlives a reload. */
export function setSession(change: Partial<Session>) {
  useSession.setState(change)
  const { user, scopedToken, domain, project, takenOverBy, isExpired } = sessionNow()
  // what is kept is theirs by now, or what another tab has that has signed in again
  if (takenOverBy !== null || (isExpired && user)) return
  keep({ user, scopedToken, domain, project })
}

const isDomainAdmin = ({ user }: Pick<Session, 'user'>) => user?.roles.includes('domain_admin') ?? false

/** A domain administrator outside any project. */
export const isDomainMode = (session: Session): boolean =>
  session.user !== null &&
  session.project === null &&
  session.meta?.scope.kind !== 'system' &&
  isDomainAdmin(session) &&
  session.user.domain_id !== ''

export const mayEnterDomainMode = (session: Session): boolean =>
  isDomainAdmin(session) && session.panel?.panel !== 'admin'

/** Id of the domain that one acts in; any one for who operates the cloud; '' before somebody has signed in. */
export const domainNow = (): string => {
  const { meta, panel, user } = sessionNow()
  if (meta ? meta.scope.kind === 'system' : panel?.panel === 'admin') return ANY_PARENT
  return meta?.scope.domain_id ?? user?.domain_id ?? ''
}

/** Sees every tenant's resources: the tables then have columns for project, domain and host. */
export const isAllTenants = ({ meta }: Session): boolean => meta?.scope.kind === 'system'
export const useIsAllTenants = () => useSession(isAllTenants)
