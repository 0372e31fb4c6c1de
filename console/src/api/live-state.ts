import type { Outage } from '@mainstay/contract/core/outage'
import { create } from 'zustand'

/**
 * State of the live connection: `off`: signed out. `connecting`: first connection. `catching-up`: receiving the changes
 * that were missed while disconnected.
 */
export type LiveState = 'off' | 'connecting' | 'live' | 'catching-up' | 'offline'

export interface Live {
  state: LiveState
  isConnected: boolean
  isAuthorized: boolean
  /** When the connection was lost. */
  offlineSince: number | undefined
  /** Known outage that may leave lists outdated; null if none is known. */
  outage: Outage | null
}

/** Polling interval for lists while the socket is disconnected (S1§9). */
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
