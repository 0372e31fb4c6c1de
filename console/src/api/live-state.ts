import type { Outage } from '@mainstay/contract/core/outage'
import { create } from 'zustand'

/**
 * Whether what is on the screen follows the server. `off`: nobody is signed in. `connecting`: for the first time.
 * `catching-up`: changes of the time without a connection are arriving.
 */
export type LiveState = 'off' | 'connecting' | 'live' | 'catching-up' | 'offline'

export interface Live {
  state: LiveState
  isConnected: boolean
  isAuthorized: boolean
  /** When the connection was lost. */
  offlineSince: number | undefined
  /** Since when lists may be older than what there is; null while they follow the cloud, as far as is known. */
  outage: Outage | null
}

/** How often lists ask for themselves while there is no socket (S1§9). */
export const pollMs = 5000

export const useLive = create<Live>()(() => ({
  state: 'off',
  isConnected: false,
  isAuthorized: false,
  offlineSince: undefined,
  outage: null,
}))

export function setLive(change: Partial<Live>) {
  const { offlineSince } = useLive.getState()
  const isOffline = change.state === 'offline'
  useLive.setState({
    ...change,
    ...(change.state && { offlineSince: isOffline ? (offlineSince ?? Date.now()) : undefined }),
  })
}
