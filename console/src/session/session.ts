import { ANY_PARENT } from '@mainstay/contract/core/endpoint'
import type { AccountProject, Meta, PanelInfo } from '@mainstay/contract/identity/session'
import type * as z from 'zod'
import { create } from 'zustand'
import { keep, readKept, type KeptProject, type KeptUser } from './kept'

/** Session status (S1§4). `switching`: changing to another project or to domain mode. */
export type SessionStatus = 'signed-out' | 'signing-in' | 'signed-in' | 'switching'

export interface Session {
  status: SessionStatus
  /** Which panel this URL serves; undefined until the server has reported it. */
  panel: z.infer<typeof PanelInfo> | undefined
  user: KeptUser | null
  scopedToken: string | null
  /** Name of the domain used for sign-in, to return to its sign-in page. */
  domain: string | null
  project: KeptProject | null
  projects: readonly AccountProject[]
  /** Permissions and services of this scope; null until loaded. */
  meta: Meta | null
  /** Set when the user or the project is disabled during the session. */
  accessDisabled: 'user' | 'project' | null
  /** The server no longer accepts the session: the sign-in form is shown over the page. */
  isExpired: boolean
  /** When the session expired, in ms since 1970. */
  expiredAt: number | null
  /** A mutating call is waiting to be retried. */
  isChangeWaiting: boolean
  /** Name of another user who has signed in from another tab, which ends this page's session. */
  takenOverBy: string | null
  /** The server announced that it is about to stop. */
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

/** The current session, for code outside components. */
export const sessionNow = () => useSession.getState()

/** Updates the session and the part of it that survives a reload. */
export function setSession(change: Partial<Session>) {
  useSession.setState(change)
  const { user, scopedToken, domain, project, takenOverBy, isExpired } = sessionNow()
  // storage now belongs to the other user, or to another tab that has signed in again
  if (takenOverBy !== null || (isExpired && user)) return
  keep({ user, scopedToken, domain, project })
}

const isDomainAdmin = ({ user }: Pick<Session, 'user'>) => user?.roles.includes('domain_admin') ?? false

/** Whether the user is a domain administrator working outside any project. */
export const isDomainMode = (session: Session): boolean =>
  session.user !== null &&
  session.project === null &&
  session.meta?.scope.kind !== 'system' &&
  isDomainAdmin(session) &&
  session.user.domain_id !== ''

export const mayEnterDomainMode = (session: Session): boolean =>
  isDomainAdmin(session) && session.panel?.panel !== 'admin'

/** ID of the current domain; `ANY_PARENT` for operators; '' before sign-in. */
export const domainNow = (): string => {
  const { meta, panel, user } = sessionNow()
  if (meta ? meta.scope.kind === 'system' : panel?.panel === 'admin') return ANY_PARENT
  return meta?.scope.domain_id ?? user?.domain_id ?? ''
}

/** Whether the scope covers every tenant: tables then have columns for project, domain and host. */
export const isAllTenants = ({ meta }: Session): boolean => meta?.scope.kind === 'system'
export const useIsAllTenants = () => useSession(isAllTenants)
