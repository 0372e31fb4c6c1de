import type { Outage } from '@mainstay/contract/core/outage'
import { create } from 'zustand'

/**
 * Whether the screen follows the server. `off`: signed out. `connecting`: first connection. `catching-up`: receiving
 * the changes missed while disconnected.
 */
export type LiveState = 'off' | 'connecting' | 'live' | 'catching-up' | 'offline'

export interface Live {
  state: LiveState
  isConnected: boolean
  isAuthorized: boolean
  /** When the connection was lost. */
  offlineSince: number | undefined
  /** Since when lists may be outdated; null while they follow the cloud, as far as is known. */
  outage: Outage | null
}

/** Polling interval of lists while the socket is disconnected (S1§9). */
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
