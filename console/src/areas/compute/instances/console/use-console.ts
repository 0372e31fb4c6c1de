import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import { instances, type ConsoleProtocol } from '@mainstay/contract/compute/instances'
import { call } from '../../../../api/call'
import { asProblem, isCancelled } from '../../../../api/problem'
import { problemText } from '../../../../api/problem-text'
import { textsNow } from '../../../../i18n/use-t'
import { rootPath } from '../../../../lib/root-path'
import { socketAddress } from './socket-address'

export type ConsoleState =
  | { of: 'connecting' }
  | { of: 'connected' }
  /** The connection was lost; the next attempt starts at `retryAt`. */
  | { of: 'disconnected'; retryAt: number }
  /** Retrying would not help; `message` gives the reason. */
  | { of: 'error'; message: string }

/** An open graphical console or terminal. */
export interface OpenConsole {
  focus: () => void
  blur: () => void
  close: () => void
}

export interface ConsoleEvents {
  connected: () => void
  /** The connection was closed. `reason` is set if the server reported an error that a retry cannot fix. */
  ended: (reason: string | undefined) => void
}

/** Opens a console in an element and connects it to the given WebSocket URL. */
export type Opener<Console extends OpenConsole> = (
  target: HTMLElement,
  address: string,
  events: ConsoleEvents,
) => Console

/** A console type. Must be a constant. Its code is loaded when a console is opened. */
export interface ConsoleKind<Console extends OpenConsole> {
  protocol: ConsoleProtocol
  load: () => Promise<Opener<Console>>
}

/** Retry delay in milliseconds: 1, 2, 4, … up to 30 seconds. */
export const retryDelayMs = (attempt: number) => Math.min(30_000, 1000 * 2 ** Math.max(0, attempt - 1))

const hopeless = new Set(['forbidden', 'not-found', 'unauthorized'])

interface Options<Console extends OpenConsole> {
  id: string
  kind: ConsoleKind<Console>
  target: RefObject<HTMLElement | null>
  /** If false, no connection is opened, and an open one is closed. */
  isWanted: boolean
}

/**
 * Keeps a console connected, with exponential backoff. Each attempt requests a new ticket, since tickets expire after a
 * minute and can be used only once.
 */
export function useConsole<Console extends OpenConsole>({ id, kind, target, isWanted }: Options<Console>) {
  const [state, setState] = useState<ConsoleState>({ of: 'connecting' })
  const [round, setRound] = useState(0)
  const console = useRef<Console>(undefined)
  const failures = useRef(0)

  useEffect(() => {
    const element = target.current
    if (!isWanted || !element) return
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let opened: Console | undefined

    const retry = () => {
      if (abort.signal.aborted) return
      const delay = retryDelayMs(++failures.current)
      setState({ of: 'disconnected', retryAt: Date.now() + delay })
      timer = setTimeout(() => setRound((count) => count + 1), delay)
    }

    async function open(into: HTMLElement) {
      const { protocol, load } = kind
      const [ticket, openIn] = await Promise.all([
        call(instances.console, { params: { id }, query: { protocol } }, { signal: abort.signal }),
        load(),
      ])
      if (abort.signal.aborted) return
      opened = openIn(into, socketAddress(ticket, location, rootPath), {
        connected: () => {
          failures.current = 0
          console.current = opened
          setState({ of: 'connected' })
        },
        ended: (reason) => {
          console.current = undefined
          if (abort.signal.aborted) return
          if (reason === undefined) retry()
          else setState({ of: 'error', message: reason })
        },
      })
    }

    open(element).catch((thrown: unknown) => {
      if (isCancelled(thrown) || abort.signal.aborted) return
      const problem = asProblem(thrown)
      if (hopeless.has(problem.kind) || problem.code === 'console_unavailable')
        setState({ of: 'error', message: problemText(problem, textsNow('shell')) })
      else retry()
    })
    return () => {
      abort.abort()
      clearTimeout(timer)
      console.current = undefined
      opened?.close()
      // reset the state for the next console
      setState({ of: 'connecting' })
    }
  }, [id, kind, target, isWanted, round])

  const reconnect = useCallback(() => {
    failures.current = 0
    setRound((count) => count + 1)
  }, [])
  return { state, console, reconnect }
}
